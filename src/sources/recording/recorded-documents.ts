import { basename } from 'node:path';
import type { KubernetesObject, StatusDocument } from '../../domain/telemetry/records.js';
import {
  KubernetesSource,
  StatusSource,
  type KubernetesLists,
  type SourceAnswer,
} from '../ports.js';
import { readDocument, type Folder } from './bundle.js';
import type { BundleReader } from './bundle-reader.js';
import { clusterIn, kubernetesListIn, kubernetesObjectsIn } from './parse-changes.js';

export const DOCUMENT = /\.json(?:\.gz)?$/;

/** One cluster of a recording. Lists that do not name their cluster belong to every one. */
export class RecordedKubernetes extends KubernetesSource {
  constructor(
    private readonly reader: BundleReader,
    readonly id: string | undefined,
    readonly selectors: ReadonlyMap<string, string>,
  ) {
    super();
  }

  objects(signal: AbortSignal): SourceAnswer<KubernetesObject> {
    return this.read(kubernetesObjectsIn, signal);
  }

  async lists(signal: AbortSignal): Promise<KubernetesLists> {
    const kinds = new Set<string>();
    const refused = new Set<string>();
    let namespaces: readonly string[] | undefined;
    const listIn = (document: unknown) => {
      if (this.id !== undefined) namespaces ??= clusterIn(document)?.namespaces;
      return [kubernetesListIn(document)];
    };
    const answer = this.read(listIn, signal);
    if (answer.kind === 'records')
      for await (const list of answer.records) {
        list.kinds.forEach((kind) => kinds.add(kind));
        if (list.refused !== undefined) refused.add(list.refused);
      }
    return { kinds, refused: [...refused], incomplete: false, ...(namespaces && { namespaces }) };
  }

  private read<Item>(
    itemsOf: (document: unknown) => Item[],
    signal: AbortSignal,
  ): SourceAnswer<Item> {
    const isOwn = (document: unknown) =>
      this.id === undefined || (clusterIn(document)?.source ?? this.id) === this.id;
    return this.reader.answer('kubernetes', 'Kubernetes objects', (files) =>
      documents(this.reader, { folder: 'kubernetes', files }, signal, (document) =>
        isOwn(document) ? itemsOf(document) : [],
      ),
    );
  }
}

export class RecordedStatus extends StatusSource {
  constructor(private readonly reader: BundleReader) {
    super();
  }

  documents(signal: AbortSignal): SourceAnswer<StatusDocument> {
    return this.reader.answer('status', 'status pages', (files) =>
      documents(this.reader, { folder: 'status', files }, signal, (document, file) => [
        { name: basename(file), document },
      ]),
    );
  }
}

/** The items of JSON documents; an invalid one is omitted and noted. */
async function* documents<Item>(
  reader: BundleReader,
  { folder, files }: { folder: Folder; files: readonly string[] },
  signal: AbortSignal,
  itemsOf: (document: unknown, file: string) => Item[],
): AsyncGenerator<Item> {
  for (const file of files.filter((name) => DOCUMENT.test(name))) {
    signal.throwIfAborted();
    let document: unknown;
    try {
      document = JSON.parse(await readDocument(file));
    } catch {
      reader.leaveOut({ folder, path: file }, { lines: 1, first: 1, isWhole: true });
      continue;
    }
    yield* itemsOf(document, file);
  }
}
