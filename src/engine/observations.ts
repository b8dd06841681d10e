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
  /** What it is, as the topology says. */
  kind?: string;
  /** Where it listens: lines of logs may name it so. */
  endpoint?: string;
  /** Of these, `telemetry`: names by which telemetry knows it. */
  attributes?: Readonly<Record<string, unknown>>;
}

/**
 * All that was read of an incident, in bounded memory: series, templates of log lines instead of
 * lines, whole traces or none.
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

/** What is out of the ordinary in the observations. */
export interface Anomalies {
  alert?: AlertRecord;
  /** The node that the alert is about. */
  alertNode?: string;
  /**
   * Whether a node has no path to the one that the alert is about; none is far where no path is
   * known.
   */
  isFar: (node: string | undefined) => boolean;
  /** What speaks against the alert: what it names is as usual. */
  refutation?: string;
  /** An alert is about a node of the topology, and nothing speaks against it. */
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
  /** When what the alert names began; else the first error. */
  mainOnset: number;
  /**
   * When anything began that may belong to it: what is worse than usual, and connected with what
   * the alert is about.
   */
  firstOnset: number;
  /** Errors that are over. */
  passed?: Spell;
  /** Something failed, ran out, or moved further than the traffic explains. */
  showsFailure: boolean;
}

/** The nodes of which any telemetry was recorded: of the others, silence says nothing. */
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

/** Of a name that says nothing, each direction may be the bad one. */
export const isWorse = ({ onset, ...series }: MovedSeries): boolean =>
  (meaningOf(nameOfSeries(series))?.worse ?? onset.direction) === onset.direction;
