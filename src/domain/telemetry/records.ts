/**
 * The input of the engine, from any source. Times are milliseconds since 1970, durations
 * milliseconds. A `node` is the id of a node of the topology, or a name that no node has.
 */

/** From and to, both inclusive. */
export interface TimeWindow {
  from: number;
  to: number;
}

/** The time frame of a diagnosis. */
export interface IncidentFrame {
  /** Telemetry is read from here on. */
  start: number;
  now: number;
  /** When a person or an alert reported the problem; absent: no report. */
  reportedAt?: number;
  /** A time that is known to be normal; it may be outside of `start` to `now`. */
  baseline?: TimeWindow;
}

/**
 * The time from which telemetry belongs to the incident: from the report; without one, everything
 * that was recorded outside of a time that is known to be normal.
 */
export const incidentSince = ({ reportedAt, baseline, start, now }: IncidentFrame): number =>
  reportedAt ?? (baseline === undefined ? now : start);

/** The first half of the time that leads up to the report counts as quiet. */
export const quietUntilOf = ({ start, reportedAt, now }: IncidentFrame): number =>
  start + ((reportedAt ?? now) - start) * 0.5;

export interface AlertRecord {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt?: number;
  /** For an alert that no longer fires. */
  endedAt?: number;
}

/** A series of a metric; `times` ascend, `values` may be NaN. */
export interface Series {
  name: string;
  labels: Record<string, string>;
  node?: string;
  times: number[];
  values: number[];
  /** The increase of a counter per second. */
  isRate?: boolean;
}

export interface LogRecord {
  at: number;
  node?: string;
  /** The name that the source gives; empty if it gives none. */
  severity: string;
  body: string;
  labels: Record<string, string>;
  traceId?: string;
  spanId?: string;
}

/** A pattern of log lines that the source itself has counted. */
export interface LogPattern {
  pattern: string;
  node?: string;
  count: number;
  /** Relative to the usual count. */
  delta: number;
}

/** By the OpenTelemetry convention. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface Span {
  traceId: string;
  spanId: string;
  parentId?: string;
  node?: string;
  name: string;
  /** Absent if its source does not state it. */
  kind?: SpanKind;
  start: number;
  durationMs: number;
  /** Present if the span failed; may be empty. */
  error?: string;
  attributes: Record<string, string>;
}

/** Something that people or machines changed in the system. */
export interface Change {
  kind: 'commit' | 'deploy' | 'flag' | 'config' | 'infra' | 'manual';
  at: number;
  id?: string;
  node?: string;
  author?: string;
  message?: string;
  files?: string[];
  /** In unified diff format. */
  diff?: string;
  commit?: string;
  version?: string;
  flag?: string;
  from?: string;
  to?: string;
  /** It was attempted, and did not go live, or not completely. */
  failed?: boolean;
}

/** The answer of another tool when the incident was recorded. */
export interface ToolRecording {
  tool: string;
  args: Record<string, unknown>;
  status: string;
  output: string;
}

/** A status page or another single document, with its file name. */
export interface StatusDocument {
  name: string;
  document: unknown;
}

/** An object of a Kubernetes list: a Pod, a Deployment, an Event. */
export interface KubernetesObject {
  kind: string;
  name: string;
  namespace?: string;
  object: Record<string, unknown>;
}
