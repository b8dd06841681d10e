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
 * Whether the absence of a record means anything. Counts of a sampled source are no rates. Of a
 * partial one, only some records were read, such as the latest or those that look like faults:
 * what is missing may be there.
 */
export type Coverage = 'complete' | 'sampled' | 'partial';

/**
 * What a source answers. `not_recorded` is an answer of its own: the source knows nothing of this,
 * which says nothing about health. `records` may be empty: the source was looked at, and there was
 * nothing.
 */
export type SourceAnswer<Item> =
  | { kind: 'records'; coverage: Coverage; records: AsyncIterable<Item> }
  | { kind: 'not_recorded'; reason: string };

/**
 * What every query may ask for. A source yields only what lies in the window, both ends included.
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

/** What a server of metrics knows more about. */
export type Reason = 'scrapes' | 'alerts' | 'rules';

/** A value that an expression has now. */
export interface MetricSample {
  labels: Record<string, string>;
  value: number;
}

/** What the sources of a node have computed. */
export interface EvaluatedSamples {
  /** Of each expression. */
  samples: MetricSample[][];
  /** Why some of the sources could not be asked. */
  unread?: SourceError;
}

/**
 * The ports to telemetry. Each has a recorded implementation (`recording/`) and live ones beside
 * it; all are held to the suite in test/support/sources/source-compliance.ts. Iteration may stop
 * early: a source then lets go of what it holds. An aborted signal makes iteration reject with the
 * signal's reason.
 */
export abstract class MetricSource {
  /**
   * What expressions of PromQL about a node have now; `$S` stands for its matchers. Undefined of a
   * source that cannot compute.
   * @throws SourceError if no source of the node could be asked; the signal's reason
   */
  evaluate(
    _query: { node: string; expressions: readonly string[] },
    _signal: AbortSignal,
  ): Promise<EvaluatedSamples | undefined> {
    return Promise.resolve(undefined);
  }

  /**
   * What a server knows beyond values: why targets of a node do not answer scrapes (by `JOB
   * INSTANCE`), what alerts mean (by name), or why rules cannot be evaluated (by `FILE;GROUP`).
   * Nothing of a server that cannot be asked: the values are enough.
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

/** What was listed of a cluster: a kind that was not listed is not missing. */
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
 * One cluster, and what nodes select of it: clusters may have namespaces and objects of the same
 * names.
 */
export abstract class KubernetesSource {
  /** The id of its source; undefined of a recording that does not say which cluster it is of. */
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
  /** Everything that other tools answered when the incident was recorded. */
  abstract answers(signal: AbortSignal): SourceAnswer<ToolRecording>;
}

/**
 * Results of the tools that look at targets themselves, as a diagnosis captured them. A source
 * without them is asked live.
 */
export abstract class ProbeSource {
  /**
   * The result of a call; undefined where none like it was captured. Of repeated calls, the last
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
