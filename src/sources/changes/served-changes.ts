import type { Change, TimeWindow } from '../../domain/telemetry/records.js';
import { readTargets, type SourceTarget } from '../http/source-targets.js';
import type { SourceServer } from '../http/source-server.js';
import { ChangeSource, type ChangeQuery, type SourceAnswer } from '../ports.js';

/** The intersection of two windows; it ends before it begins if that is empty. */
export const overlap = (a: TimeWindow, b: TimeWindow): TimeWindow => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});

/** The query to a server. */
export interface ChangesQuestion {
  selector: string;
  window: TimeWindow;
}

/** How changes are read from a kind of server. */
export interface ChangeReader {
  /** @throws SourceError; the signal's reason */
  read(
    server: SourceServer,
    question: ChangesQuestion,
    signal: AbortSignal,
  ): Promise<Omit<Change, 'node'>[]>;
}

export interface ChangeTarget extends SourceTarget, ChangeReader {}

/** The changes that servers provide: deployments, commits, annotations. */
export class ServedChanges extends ChangeSource {
  /** @param own the requested time: a query may be open to both sides */
  constructor(
    private readonly targets: readonly ChangeTarget[],
    private readonly own: TimeWindow,
  ) {
    super();
  }

  changes({ node, window }: ChangeQuery, signal: AbortSignal): SourceAnswer<Change> {
    const own = overlap(window, this.own);
    const records = readTargets(
      this.targets,
      { node, signal },
      async function* ({ server, node: id, selector }, target): AsyncGenerator<Change> {
        if (own.from > own.to) return;
        for (const change of await target.read(server, { selector, window: own }, signal))
          if (change.at >= own.from && change.at <= own.to) yield { ...change, node: id };
      },
    );
    return { kind: 'records', coverage: 'complete', records };
  }
}
