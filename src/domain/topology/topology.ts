import type { JsonObject } from '../../lib/json.js';
import type { LimitOverrides } from '../limits/limit-bounds.js';

/** A component that can fail (contract section 9). */
export interface TopologyNode {
  id: string;
  name: string;
  /**
   * `service`, `tcp`, `redis`, `dns`, `tls`, `host`, `process`, … Any other kind is allowed; no
   * tool applies to it, so it is not checked.
   */
  kind: string;
  endpoint?: string;
  /** Ids of the nodes that this node needs to work. */
  dependsOn: string[];
  /** The node's part of a source: by the id of the source, a selector such as `job="api"`. */
  in?: Record<string, string>;
  /** Thresholds and other values for tools. */
  attributes: JsonObject;
}

/** An agent of a topology. */
export interface AgentBinding {
  /** A string of digits, unique in the topology. */
  agentId: string;
  name: string;
  model?: string;
  prompt?: string;
  behaviour?: string;
}

/**
 * What the tools of a worker reach: its own node, or also, for reading only, the direct
 * dependencies of this node.
 */
export const REACHES = ['node', 'dependencies'] as const;

export interface WorkerBinding extends AgentBinding {
  /** Id of the node that it checks. */
  node: string;
  /** Names of the tools that it may call. */
  tools: string[];
  /** Absent: its own node. */
  reach?: (typeof REACHES)[number];
}

export interface Team {
  name: string;
  nodes: string[];
  supervisor: AgentBinding;
  workers: WorkerBinding[];
}

/** Kinds of telemetry of a source. `probes`: recorded results of tools that probe targets. */
export type Telemetry =
  'metrics' | 'logs' | 'traces' | 'changes' | 'kubernetes' | 'status' | 'recordings' | 'probes';

/** An incident bundle in INCIDENTS_DIR. */
export interface RecordedIncident {
  id: string;
  kind: 'recording';
  /** Name of the bundle's folder. */
  incident: string;
  /** Kinds of telemetry in the bundle. */
  provides: Telemetry[];
}

/** A Prometheus server, or a server with its HTTP API. */
export interface PrometheusServer {
  id: string;
  kind: 'prometheus';
  /** Without credentials. Absent: the server of this id in SOURCES_FILE. */
  endpoint?: string;
  provides: Telemetry[];
}

/** The kinds that SOURCES_FILE may list, beside Prometheus. */
export type ListedKind =
  | 'kubernetes'
  | 'loki'
  | 'elasticsearch'
  | 'journald'
  | 'logfile'
  | 'tempo'
  | 'jaeger'
  | 'github'
  | 'argocd'
  | 'grafana'
  | 'git'
  | 'postgres'
  | 'mysql'
  | 'rabbitmq'
  | 'kafka'
  | 'elasticsearch-cluster'
  | 'alertmanager'
  | 'mcp';

/** A source that SOURCES_FILE lists under this id, with its address and credentials. */
export interface ListedSource {
  id: string;
  kind: ListedKind;
  provides: Telemetry[];
}

/** Where telemetry of the topology's nodes is found. */
export type TopologySource = RecordedIncident | PrometheusServer | ListedSource;

/** A topology with all its agents (contract section 9). */
export interface Topology {
  id: number;
  name: string;
  description?: string;
  nodes: TopologyNode[];
  globalSupervisor: AgentBinding;
  teams: Team[];
  limits?: LimitOverrides;
  sources?: TopologySource[];
  /** Parts that were derived. Absent: unknown, of a topology that an earlier version stored. */
  derived?: ('globalSupervisor' | 'teams')[];
  /** Of a run that was asked to examine a part of it: the ids of these nodes. Never stored. */
  scope?: string[];
}
