import { basename } from 'node:path';
import { notRecorded, type Coverage, type SourceAnswer } from '../ports.js';
import type { nodeNames } from '../node-names.js';
import type { Bundle, Folder } from './bundle.js';

/** What the recorded sources share: files, nodes, and what may be seen. */
export class BundleReader {
  constructor(
    private readonly bundle: Bundle,
    readonly nodeOf: ReturnType<typeof nodeNames>,
  ) {}

  files(folder: Folder): readonly string[] | undefined {
    return this.bundle.files[folder];
  }

  coverage(folder: Folder): Coverage {
    const said = this.bundle.manifest.coverage;
    return folder === 'status' ? 'complete' : (said[folder] ?? 'sampled');
  }

  isVisible(at: number): boolean {
    const { now, baseline } = this.bundle.frame;
    return at <= now || (baseline !== undefined && at >= baseline.from && at <= baseline.to);
  }

  /** An answer from the files of a folder that are wanted, or that none were recorded. */
  answer<Item>(
    folder: Folder,
    what: string,
    read: (files: readonly string[]) => AsyncIterable<Item>,
    wanted: (name: string) => boolean = () => true,
  ): SourceAnswer<Item> {
    const files = this.files(folder)?.filter((path) => wanted(basename(path)));
    if (files === undefined || files.length === 0) return notRecorded(what);
    return { kind: 'records', coverage: this.coverage(folder), records: read(files) };
  }
}
