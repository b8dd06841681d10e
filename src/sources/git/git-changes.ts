import type { Change, TimeWindow } from '../../domain/telemetry/records.js';
import { overlap } from '../changes/served-changes.js';
import { ChangeSource, type ChangeQuery, type SourceAnswer } from '../ports.js';
import { readNodes } from '../read-nodes.js';

/** A repository, with the folders of nodes. */
export interface GitRepository {
  /** The id of the source. */
  id: string;
  /** A folder, or `*`, by the id of a node. */
  selectors: ReadonlyMap<string, string>;
  /** @throws SourceError; the signal's reason */
  read(
    question: { selector: string; window: TimeWindow },
    signal: AbortSignal,
  ): Promise<Omit<Change, 'node'>[]>;
}

/** Commits and deployments of repositories on the machine of this process. */
export class GitChanges extends ChangeSource {
  /** @param own the time that is read: a query may be open to both sides */
  constructor(
    private readonly repositories: readonly GitRepository[],
    private readonly own: TimeWindow,
  ) {
    super();
  }

  changes({ node, window }: ChangeQuery, signal: AbortSignal): SourceAnswer<Change> {
    const own = overlap(window, this.own);
    const records = readNodes(
      this.repositories,
      { node, signal },
      async function* (repository, id, selector): AsyncGenerator<Change> {
        if (own.from > own.to) return;
        for (const change of await repository.read({ selector, window: own }, signal))
          yield { ...change, node: id };
      },
    );
    return { kind: 'records', coverage: 'complete', records };
  }
}
