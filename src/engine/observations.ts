import type {
  AlertRecord,
  Change,
  IncidentFrame,
  KubernetesObject,
  LogPattern,
  Series,
  Span,
  StatusDocument,
  ToolRecording,
} from '../domain/telemetry/records.js';
import type { LogTemplate } from './logs/log-templates.js';
import type { Spell } from './logs/spell.js';
import { meaningOf, nameOfSeries } from './series/meaning-of-metric.js';
import type { Onset } from './series/onset/onset.js';
import type { SpanNote } from './traces/trace-rules.js';

/** A node as the engine needs it. */
export interface ObservedNode {
  id: string;
  name: string;
  dependsOn: readonly string[];
  /** Its kind, from the topology. */
  kind?: string;
  /** Where it listens: log lines may name it by this address. */
  endpoint?: string;
  /** One of them, `telemetry`, has the names of the node in telemetry. */
  attributes?: Readonly<Record<string, unknown>>;
}

/**
 * All data that was read of an incident, in bounded memory: series, templates of log lines instead
 * of lines, whole traces or none.
 */
export interface Observations {
  frame: IncidentFrame;
  nodes: readonly ObservedNode[];
  alerts: readonly AlertRecord[];
  series: readonly Series[];
  templates: readonly LogTemplate[];
  patterns: readonly LogPattern[];
  spans: readonly Span[];
  /** Templates of the log lines of a span, by its key. */
  notes: ReadonlyMap<string, readonly SpanNote[]>;
  changes: readonly Change[];
  status: readonly StatusDocument[];
  recordings: readonly ToolRecording[];
  kubernetes: readonly KubernetesObject[];
  /** The objects of each node, with their events. */
  kubernetesByNode: ReadonlyMap<string, readonly KubernetesObject[]>;
}

export type MovedSeries = Series & { onset: Onset };

/** The anomalies in the observations. */
export interface Anomalies {
  alert?: AlertRecord;
  /** The node that the alert is about. */
  alertNode?: string;
  /**
   * Whether a node has no path to the one that the alert is about; no node is far if no path is
   * known.
   */
  isFar: (node: string | undefined) => boolean;
  /** The evidence against the alert: what it names is as usual. */
  refutation?: string;
  /** An alert is about a node of the topology, and nothing refutes it. */
  isAlerted: boolean;
  reportedAt: number;
  /** Lines before this are from a quiet time. */
  quietUntil: number;
  moved: MovedSeries[];
  /** Series that show the new value of a setting that a recorded change has set: no failure. */
  settings: MovedSeries[];
  /** New, or much more frequent since their `first`. */
  appeared: LogTemplate[];
  gone: LogTemplate[];
  failedSpans: Span[];
  slowSpans: Span[];
  /** When the subject of the alert began to deviate; otherwise the first error. */
  mainOnset: number;
  /**
   * When the first anomaly began that may belong to it: worse than usual, and connected with the
   * subject of the alert.
   */
  firstOnset: number;
  /** Errors that are over. */
  passed?: Spell;
  /** Something failed, was exhausted, or moved further than the traffic explains. */
  showsFailure: boolean;
}

/** The nodes with any recorded telemetry: for the others, its absence means nothing. */
export const recordedNodes = ({
  series,
  templates,
  patterns,
  spans,
  kubernetesByNode,
}: Observations): ReadonlySet<string | undefined> =>
  new Set([
    ...[series, templates, patterns, spans].flatMap((all) => all.map(({ node }) => node)),
    ...[...kubernetesByNode].flatMap(([node, objects]) => (objects.length > 0 ? [node] : [])),
  ]);

/** For a name without a meaning, either direction may be bad. */
export const isWorse = ({ onset, ...series }: MovedSeries): boolean =>
  (meaningOf(nameOfSeries(series))?.worse ?? onset.direction) === onset.direction;
