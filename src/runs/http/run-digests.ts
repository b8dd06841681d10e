import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { RunEvent } from '../../domain/events/event.js';
import { isTerminalStatus } from '../../domain/run-status.js';
import type { Topology } from '../../domain/topology/topology.js';
import { LogPort, type RunState } from '../../event-log/log-port.js';
import { readShownTopology } from '../../event-log/read-shown-topology.js';
import { digestOf, headlineSoFar, type RunDigest } from './run-digest.js';

/** Maximum number of digests in the cache of a process. */
const MOST_ENDED = 5_000;
/** Maximum number of open runs whose reports are in the cache of a process. */
const MOST_OPEN = 200;

interface OpenRun {
  reports: Map<number, RunEvent>;
  /** Undefined until the first report. */
  topology: Topology | undefined;
}

/**
 * Short outcomes of runs. The end of a run is read once; for an open run only the new reports are
 * read.
 */
@Injectable()
export class RunDigests {
  private readonly ended = new LRUCache<string, RunDigest>({ max: MOST_ENDED });
  private readonly open = new LRUCache<string, OpenRun>({ max: MOST_OPEN });

  constructor(private readonly log: LogPort) {}

  async of(runId: string, state: RunState): Promise<RunDigest> {
    if (!isTerminalStatus(state.status)) return this.soFar(runId, state);
    // A failover may have reverted the end that was read: then the run ends at another sequence.
    const key = `${runId}:${state.lastSequence}`;
    const known = this.ended.get(key);
    if (known) return known;
    this.open.delete(runId);
    const [terminal] = await this.log.events(runId, [state.lastSequence]);
    const digest = digestOf(terminal);
    this.ended.set(key, digest);
    return digest;
  }

  private async soFar(runId: string, { head, status }: RunState): Promise<RunDigest> {
    const nothing = digestOf(undefined);
    if (head.kind !== 'diagnosis' || status === 'queued') return nothing;
    const known = this.open.get(runId) ?? { reports: new Map(), topology: undefined };
    this.open.set(runId, known);
    const reports = await this.log.reports(runId, undefined, known.reports);
    if (reports.length > 0) known.topology ??= await readShownTopology(this.log, runId);
    const nameOf = (id: string) => known.topology?.nodes.find((node) => node.id === id)?.name ?? id;
    return { ...nothing, headline: headlineSoFar(reports, nameOf) };
  }
}
