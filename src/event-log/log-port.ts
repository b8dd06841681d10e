import type { DraftEvent, RunEvent } from '../domain/events/event.js';
import type { TokenShares } from '../domain/limits/token-shares.js';
import { measurementOf, type Measurement } from '../domain/diagnosis/measurement.js';
import type { RunSpec } from '../domain/run.js';
import type { Topology } from '../domain/topology/topology.js';
import type {
  Appended,
  Claim,
  ClaimOptions,
  Page,
  Reserved,
  RunState,
  Sealed,
  Step,
  Tail,
} from './log-types.js';

export type * from './log-types.js';

/** How often a run that is ended is folded again for a tool result that was recorded meanwhile. */
export const MOST_FOLDS = 20;
/** Tool results that are read at once: each may have 64 kB. */
const RESULTS_AT_ONCE = 100;

/** Reads the logs of runs. Any method rejects with what the store's client throws while the store is away. */
export abstract class LogReader {
  /** Undefined for an unknown run. @throws ConsiliumError UNAVAILABLE for a run that a later version of the service wrote */
  abstract state(runId: string): Promise<RunState | undefined>;

  /** What a run was started with. It never changes, and callers must not change it. Undefined where it is gone. */
  abstract spec(runId: string): Promise<RunSpec | undefined>;

  /**
   * At most `limit` frames after a sequence. `sealed` with the last frame at `lastSequence` means that no more will follow.
   * The frames may reach beyond `lastSequence`; where there are none, there were none up to it.
   * @throws ConsiliumError RUN_NOT_FOUND, RUN_EXPIRED
   */
  abstract read(runId: string, after: number, limit: number): Promise<Page>;

  /** Where a log ends now, and whether for good. @param at asks for this frame too; it may be gone */
  abstract tail(runId: string, at?: number): Promise<Tail | undefined>;

  /** Chosen events of a run, in the order of the log. Of a trimmed log only the terminal event is left. */
  abstract events(runId: string, sequences: number[]): Promise<RunEvent[]>;

  /**
   * The dispatches and reports of a run, in the order of the log.
   * @param of selects by dispatch id
   * @param known events that were read before, by sequence: they are not read again, and new ones are added
   */
  abstract reports(
    runId: string,
    of?: (dispatchId: string) => boolean,
    known?: Map<number, RunEvent>,
  ): Promise<RunEvent[]>;

  /** `tool_call_id` → sequence of its result. */
  abstract evidence(runId: string): Promise<Map<string, number>>;

  /**
   * What the tools of a run have measured, in the order of the log, read in batches and reduced at once.
   * @param of selects results by `tool_call_id`
   */
  async measurements(
    runId: string,
    topology: Pick<Topology, 'teams'>,
    of: (toolCallId: string) => boolean = () => true,
  ): Promise<Measurement[]> {
    const evidence = await this.evidence(runId);
    const sequences = [...evidence].flatMap(([id, sequence]) => (of(id) ? [sequence] : []));
    sequences.sort((a, b) => a - b);
    const measurements: Measurement[] = [];
    for (let from = 0; from < sequences.length; from += RESULTS_AT_ONCE)
      for (const event of await this.events(runId, sequences.slice(from, from + RESULTS_AT_ONCE))) {
        const measurement =
          event.event.action === 'tool_result'
            ? measurementOf(event as RunEvent<'llm.tool_result'>, topology)
            : undefined;
        if (measurement) measurements.push(measurement);
      }
    return measurements;
  }

  /** Ids of the dispatches that have reported. */
  abstract reported(runId: string): Promise<Set<string>>;

  /** Ids of all dispatches so far. */
  abstract dispatched(runId: string): Promise<string[]>;

  /** Whether a run was accepted by another store process than the present one: acknowledged events may have been lost in between. */
  abstract hasMoved(runId: string): Promise<boolean>;
}

/**
 * The log of runs: the only place where the state of a run is kept. Implementations: `RedisLog`, and `MemoryLog` for tests.
 * ARCHITECTURE.md, "The log decides".
 */
export abstract class LogPort extends LogReader {
  /** Begins the log of a run and keeps `spec` with it. Repeating it has no effect. @returns ms of creation, by the log's clock */
  abstract create(runId: string, spec: RunSpec, events: DraftEvent[]): Promise<number>;

  /** Begins a stretch of a writer's work: every older claim of this writer is fenced off from here on. */
  abstract claim(runId: string, writer: string, options?: ClaimOptions): Promise<Claim>;

  /**
   * Records a step once, however often it is called with the same (writer, epoch, step).
   * @throws what the store's client throws when the outcome is unknown: repeat the same call then
   */
  abstract append(runId: string, step: Step): Promise<Appended>;

  /**
   * Reserves tokens of the run's budget for one model call of a writer. The append that has its usage settles it, and a claim
   * frees it. A writer has one reservation at a time.
   * @param want tokens; 0 gives back what is reserved
   */
  abstract reserve(
    runId: string,
    claim: { writer: string; epoch: number },
    want: number,
    shares: TokenShares,
  ): Promise<Reserved>;

  /**
   * Ends a run from outside of its agents. `fold` makes the terminal event from the reports there are; it is called again if
   * a report or a tool result was recorded before the seal, after {@link MOST_FOLDS} times only for a report.
   * @returns undefined for an unknown run
   */
  abstract seal(
    runId: string,
    fold: (events: RunEvent[]) => DraftEvent | Promise<DraftEvent>,
  ): Promise<Sealed | undefined>;

  /** Call it when a run is started again. @returns how often that happened since its log last grew; calls within a second count once */
  abstract countStart(runId: string): Promise<number>;

  /** Records that a log lost events up to a sequence that were seen before: no client may resume at or before it. */
  abstract markLost(runId: string, seen: number): Promise<void>;

  /**
   * Drops the events of a run that has ended, to the archive where there is one. Its state and terminal event stay.
   * Repeating it has no effect. @returns false for a run that has not ended
   */
  abstract trim(runId: string): Promise<boolean>;

  /** Removes what is left of a trimmed run. */
  abstract forget(runId: string): Promise<void>;
}
