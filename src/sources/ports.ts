import type {
  Change,
  KubernetesObject,
  LogPattern,
  LogRecord,
  Series,
  Span,
  StatusDocument,
  TimeWindow,
  ToolRecording,
} from '../domain/telemetry/records.js';
import type { SourceError } from './http/source-error.js';

/**
 * Whether the absence of a record is meaningful. Counts of a sampled source are no rates. Of a
 * partial one, only some records were read, such as the latest or those that look like faults: a
 * missing record may exist.
 */
export type Coverage = 'complete' | 'sampled' | 'partial';

/**
 * The answer of a source. `not_recorded`: the source has no data about this, which shows nothing
 * about health. `records` may be empty: the source was read, and has no records.
 */
export type SourceAnswer<Item> =
  | { kind: 'records'; coverage: Coverage; records: AsyncIterable<Item> }
  | { kind: 'not_recorded'; reason: string };

/**
 * The parameters of every query. A source yields only records in the window, both ends inclusive.
 */
export interface SourceQuery {
  /** Id of a node; absent: all nodes. */
  node?: string;
  window: TimeWindow;
}

export interface SeriesQuery extends SourceQuery {
  /** Names of metrics; absent: all. */
  names?: readonly string[];
}

export interface LogQuery extends SourceQuery {
  /** Lines that contain this text, whatever its case. */
  text?: string;
}

export interface ChangeQuery {
  node?: string;
  window: TimeWindow;
}

/** Further information of a server of metrics. */
export type Reason = 'scrapes' | 'alerts' | 'rules';

/** A current value of an expression. */
export interface MetricSample {
  labels: Record<string, string>;
  value: number;
}

/** The results that the sources of a node have computed. */
export interface EvaluatedSamples {
  /** Of each expression. */
  samples: MetricSample[][];
  /** Why some of the sources could not be read. */
  unread?: SourceError;
}

/**
 * The ports to telemetry. Each has a recorded implementation (`recording/`) and live ones beside
 * it; all must pass the suite in test/support/sources/source-compliance.ts. Iteration may stop
 * early: a source then releases its resources. If the signal is aborted, iteration rejects with its
 * reason.
 */
export abstract class MetricSource {
  /**
   * The current values of PromQL expressions about a node; `$S` stands for its matchers. Undefined
   * for a source that cannot compute.
   * @throws SourceError if no source of the node could be read; the signal's reason
   */
  evaluate(
    _query: { node: string; expressions: readonly string[] },
    _signal: AbortSignal,
  ): Promise<EvaluatedSamples | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * Further information of a server: why targets of a node do not answer scrapes (by `JOB
   * INSTANCE`), what alerts mean (by name), or why rules cannot be evaluated (by `FILE;GROUP`).
   * Empty for a server that cannot be reached: the values are sufficient.
   * @throws the signal's reason
   */
  reasons(
    _query: { node: string; of: Reason },
    _signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    return Promise.resolve(new Map());
  }

  /** One series may come in several pieces (same name and labels), each in order of time. */
  abstract series(query: SeriesQuery, signal: AbortSignal): SourceAnswer<Series>;
}

export abstract class LogSource {
  abstract records(query: LogQuery, signal: AbortSignal): SourceAnswer<LogRecord>;
  /** Patterns that the source has counted itself. */
  abstract patterns(query: SourceQuery, signal: AbortSignal): SourceAnswer<LogPattern>;
}

export abstract class TraceSource {
  /** Spans that start in the window, in no order. A span may come twice. */
  abstract spans(query: SourceQuery, signal: AbortSignal): SourceAnswer<Span>;
}

export abstract class ChangeSource {
  abstract changes(query: ChangeQuery, signal: AbortSignal): SourceAnswer<Change>;
}

/** The listed objects of a cluster: an object of a kind that was not listed is not missing. */
export interface KubernetesLists {
  /** Also kinds of which there was no object; absent: those of the objects. */
  kinds?: ReadonlySet<string>;
  /** Those that were read; absent: not known. */
  namespaces?: readonly string[];
  /** Kinds that the credential may not list. */
  refused: readonly string[];
  /** There is more than was read. */
  incomplete: boolean;
}

/**
 * One cluster, and the nodes' selections in it: clusters may have namespaces and objects with the
 * same names.
 */
export abstract class KubernetesSource {
  /** The id of its source; undefined for a recording that does not name its cluster. */
  abstract readonly id: string | undefined;
  /**
   * By the id of a node: a workload, `*`, or a name that objects begin with. Other nodes have no
   * objects of this cluster.
   */
  abstract readonly selectors: ReadonlyMap<string, string>;
  /** Objects and events, as they are at `now`. */
  abstract objects(signal: AbortSignal): SourceAnswer<KubernetesObject>;
  /** @throws SourceError; the signal's reason */
  abstract lists(signal: AbortSignal): Promise<KubernetesLists>;
}

export abstract class StatusSource {
  abstract documents(signal: AbortSignal): SourceAnswer<StatusDocument>;
}

export abstract class RecordingSource {
  /** All answers of other tools when the incident was recorded. */
  abstract answers(signal: AbortSignal): SourceAnswer<ToolRecording>;
}

/**
 * Results of tools that probe targets, as a diagnosis captured them. If a source has none, the
 * tools run live.
 */
export abstract class ProbeSource {
  /**
   * The result of a call; undefined if no equal call was captured. Of repeated calls, the last
   * result.
   */
  abstract result(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolRecording | undefined>;
}

export const notRecorded = (what: string): { kind: 'not_recorded'; reason: string } => ({
  kind: 'not_recorded',
  reason: `${what} were not recorded`,
});
