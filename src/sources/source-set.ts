import type { AlertRecord, IncidentFrame } from '../domain/telemetry/records.js';
import type { Telemetry, TopologyNode } from '../domain/topology/topology.js';
import type { SourceServer } from './http/source-server.js';
import type { SqlKind } from './sql/sql-task.js';
import type { KafkaAccess, ServerAccess } from './live/server-access.js';
import type {
  ChangeSource,
  KubernetesSource,
  LogSource,
  MetricSource,
  ProbeSource,
  RecordingSource,
  StatusSource,
  TraceSource,
} from './ports.js';

/** Kinds of listed servers with an HTTP API that a tool inspects. */
export type InspectedKind = 'rabbitmq' | 'elasticsearch-cluster' | 'alertmanager';

/** A listed server, and a node's selection in it. */
export interface SelectedServer {
  /** The id of the source. */
  id: string;
  server: SourceServer;
  selector: string;
}

/** Damaged lines of a recorded file, whose content is unknown. */
export interface DamagedLines {
  telemetry: Telemetry | 'alerts';
  /** With its folder. */
  file: string;
  lines: number;
  /** The number of the first one. */
  first: number;
  /** Nothing of the file could be used. */
  isWhole: boolean;
}

/**
 * The sources of one topology, and the time frame of its diagnosis. A source that the topology
 * lacks answers `not_recorded`.
 */
export interface SourceSet {
  frame: IncidentFrame;
  alerts: readonly AlertRecord[];
  metrics: MetricSource;
  logs: LogSource;
  traces: TraceSource;
  changes: ChangeSource;
  kubernetes: readonly KubernetesSource[];
  status: StatusSource;
  recordings: RecordingSource;
  /**
   * The listed server of a kind that a node selects from.
   * @throws if a credential is missing
   */
  accessOf?: (node: TopologyNode, kind: SqlKind) => Promise<ServerAccess | undefined>;
  /**
   * The listed Kafka that a node selects from.
   * @throws if a credential is missing
   */
  kafkaOf?: (node: TopologyNode) => Promise<KafkaAccess | undefined>;
  /**
   * A listed server with an HTTP API that a tool inspects, and a node's selection in it.
   * @throws if it is not listed
   */
  httpOf?: (node: TopologyNode, kind: InspectedKind) => SelectedServer | undefined;
  /** All of it is in files. */
  isRecorded?: true;
  /** For a recorded incident: the unusable parts of the files that were read so far. */
  leftOut?: () => DamagedLines[];
  /** For a recorded incident: replaces probes of targets. */
  probes?: ProbeSource;
}
