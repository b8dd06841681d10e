import type { DraftEvent, RunEvent } from '../domain/events/event.js';
import type { TokenShares } from '../domain/limits/token-shares.js';
import { measurementOf, type Measurement } from '../domain/diagnosis/measurement.js';
import type { RunHead, RunSpec } from '../domain/run.js';
import type { Topology } from '../domain/topology/topology.js';
import type {
  AppendResult,
  Claim,
  ClaimOptions,
  NoteResult,
  LogPage,
  ReserveResult,
  RunState,
  SealResult,
  Step,
  Tail,
} from './log-types.js';

export type * from './log-types.js';

export interface MeasurementOptions {
  /** Beginning of the `tool_call_id` of the results: `d1_` for a team; empty: all. */
  under?: string;
  /**
   * Cache by sequence: cached measurements are not read again, new ones are added. `undefined`: the
   * event is not a measurement.
   */
  known?: Map<number, Measurement | undefined>;
}

/** The measurements of the tools of a run. */
export interface RunMeasurements {
  /** Maps the `tool_call_id` of all results of the run to their sequence. */
  evidence: Map<string, number>;
  /** In the order of the log. */
  measurements: Measurement[];
}

export interface Results {
  /** As in {@link RunMeasurements}. */
  evidence: Map<string, number>;
  /** In the order of the log. */
  events: RunEvent[];
}

/**
 * Maximum number of attempts to build a terminal event again because a tool result was recorded
 * meanwhile.
 */
export const MOST_FOLDS = 20;
/** Number of tool results per read; each has up to 64 kB. */
export const RESULTS_AT_ONCE = 100;

/**
 * Reads the logs of runs. If the store is unavailable, every method rejects with the error of the
 * store's client.
 */
export abstract class LogReader {
  /**
   * Returns undefined for an unknown run.
   * @throws ConsiliumError UNAVAILABLE if a later version of the service wrote the run
   */
  abstract state(runId: string): Promise<RunState | undefined>;

  /** Returns the specification of a run, or undefined if it was deleted. Shared and immutable. */
  abstract spec(runId: string): Promise<RunSpec | undefined>;

  /**
   * Reads at most `limit` frames after a sequence. The log ends for good if `sealed` is set and the
   * last frame is `lastSequence`. The frames may go beyond `lastSequence`. If there are none, the
   * log had none up to `lastSequence`.
   * @throws ConsiliumError RUN_NOT_FOUND, RUN_EXPIRED
   */
  abstract read(runId: string, after: number, limit: number): Promise<LogPage>;

  /**
   * Reads the end of a log and whether it is sealed.
   * @param at reads this frame, too; it may have been deleted
   */
  abstract tail(runId: string, at?: number): Promise<Tail | undefined>;

  /**
   * Reads the given events of a run, in the order of the log. A trimmed log has only its terminal
   * event.
   */
  abstract events(runId: string, sequences: number[]): Promise<RunEvent[]>;

  /**
   * Reads the dispatches and reports of a run, in the order of the log.
   * @param under beginning of their dispatch ids: `d1_` for the workers of a team; empty: all
   * @param known cache of events by sequence: cached events are not read again, new ones are added
   */
  abstract reports(
    runId: string,
    under?: string,
    known?: Map<number, RunEvent>,
  ): Promise<RunEvent[]>;

  /**
   * Reads an event that a run has at most once, by its name: see `Condition.once`. Undefined if it
   * was not given.
   */
  abstract given(runId: string, name: string): Promise<RunEvent | undefined>;

  /**
   * Reads the events that a run has at most once and whose names begin with `prefix`, in the order
   * of the log.
   */
  abstract givenUnder(runId: string, prefix: string): Promise<RunEvent[]>;

  /** Maps `tool_call_id` to the sequence of its result. */
  abstract evidence(runId: string): Promise<Map<string, number>>;

  /**
   * Reads tool results of a run: the first {@link RESULTS_AT_ONCE} that are not known.
   * @param under beginning of their `tool_call_id`; empty: all
   * @param known sequences of results that are left out
   */
  abstract results(runId: string, under: string, known: Iterable<number>): Promise<Results>;

  /** Reads the measurements of a run in batches. */
  async measured(
    runId: string,
    topology: Pick<Topology, 'teams'>,
    { under = '', known = new Map() }: MeasurementOptions = {},
  ): Promise<RunMeasurements> {
    const note = (event: RunEvent) =>
      known.set(
        event.sequence,
        event.event.action === 'tool_result'
          ? measurementOf(event as RunEvent<'llm.tool_result'>, topology)
          : undefined,
      );
    const { evidence, events } = await this.results(runId, under, known.keys());
    for (const event of events) note(event);
    const sequences = [...evidence].flatMap(([id, at]) => (id.startsWith(under) ? [at] : []));
    sequences.sort((a, b) => a - b);
    const unknown = sequences.filter((sequence) => !known.has(sequence));
    for (let from = 0; from < unknown.length; from += RESULTS_AT_ONCE)
      for (const event of await this.events(runId, unknown.slice(from, from + RESULTS_AT_ONCE)))
        note(event);
    const measurements = sequences.flatMap((sequence) => known.get(sequence) ?? []);
    return { evidence, measurements };
  }

  /** Returns the ids of dispatches that have a report. */
  abstract reported(runId: string): Promise<Set<string>>;

  /** Returns the ids of all dispatches. */
  abstract dispatched(runId: string): Promise<string[]>;

  /**
   * Returns whether another store process accepted the run. If so, acknowledged events may have
   * been lost.
   */
  abstract hasMoved(runId: string): Promise<boolean>;
}

/**
 * The log of runs, the only place that has their state (docs/decisions/0001-the-log-decides.md).
 * Implementations: `RedisLog`, and `MemoryLog` for tests.
 */
export abstract class LogPort extends LogReader {
  /**
   * Creates a run with its specification and first events. Idempotent.
   * @returns the head that the log has: that of the first call
   */
  abstract create(runId: string, spec: RunSpec, events: DraftEvent[]): Promise<RunHead>;

  /** Starts a session of a writer. Fences off every earlier claim of this writer. */
  abstract claim(runId: string, writer: string, options?: ClaimOptions): Promise<Claim>;

  /**
   * Records a step. Repeated calls with the same (writer, epoch, step) record it once.
   * @throws the error of the store's client if the outcome is unknown; repeat the same call
   */
  abstract append(runId: string, step: Step): Promise<AppendResult>;

  /**
   * Reserves tokens of the run's budget for one model call of a writer. The append with the call's
   * usage settles the reservation, and a new claim frees it. A writer has at most one reservation.
   * @param want tokens; 0 returns the reservation
   */
  abstract reserve(
    runId: string,
    claim: { writer: string; epoch: number },
    want: number,
    shares: TokenShares,
  ): Promise<ReserveResult>;

  /**
   * Ends a run from outside its agents. `fold` builds the terminal event from the reports. It is
   * called again if a report or a tool result was recorded before the seal; after {@link
   * MOST_FOLDS} attempts, only for a report.
   * @returns undefined for an unknown run
   */
  abstract seal(
    runId: string,
    fold: (events: RunEvent[]) => DraftEvent | Promise<DraftEvent>,
  ): Promise<SealResult | undefined>;

  /**
   * Appends events of the service itself, such as alerts that join the run. An event with a
   * condition (`when.once`) is appended at most once, so that a call whose outcome is unknown can
   * be repeated.
   */
  abstract note(runId: string, events: DraftEvent[]): Promise<NoteResult>;

  /**
   * Counts a restart of a run. Calls within a second count once.
   * @returns restarts since the log last grew
   */
  abstract countStart(runId: string): Promise<number>;

  /**
   * Records that the log lost events up to a sequence. Clients can no longer resume at or before
   * it.
   */
  abstract markLost(runId: string, seen: number): Promise<void>;

  /**
   * Deletes the events of a run that has ended, after writing them to the archive if there is one.
   * Keeps its state and terminal event. Idempotent.
   * @returns false if the run has not ended
   */
  abstract trim(runId: string): Promise<boolean>;

  /**
   * Deletes nodes and teams from the specification of a run that has ended: {@link
   * readShownTopology} reads them from its log. Idempotent; does nothing to a run that has not
   * ended.
   */
  abstract dropTopology(runId: string): Promise<void>;

  /** Deletes the remaining keys of a trimmed run. */
  abstract forget(runId: string): Promise<void>;
}
