import type { JsonObject } from '../../lib/json.js';
import type { LimitOverrides } from '../limits/limits.js';

/** Something that can be unwell. Contract section 9. */
export interface TopologyNode {
  id: string;
  name: string;
  /** `service`, `tcp`, `redis`, `dns`, `tls`, `host`, `process`, … An unknown kind is allowed: no tool is for it, so it stays unchecked. */
  kind: string;
  endpoint?: string;
  /** Ids of the nodes that this one cannot work without. */
  dependsOn: string[];
  /** Thresholds and whatever else tools need to know. */
  attributes: JsonObject;
}

/** An agent in a place of a topology. */
export interface AgentBinding {
  /** A numeric string, unique in the topology. */
  agentId: string;
  name: string;
  model?: string;
  prompt?: string;
  behaviour?: string;
}

export interface WorkerBinding extends AgentBinding {
  /** Id of the node that it looks at. */
  node: string;
  /** Names of the tools that it may call. */
  tools: string[];
}

export interface Team {
  name: string;
  nodes: string[];
  supervisor: AgentBinding;
  workers: WorkerBinding[];
}

/** What telemetry a source gives. `probes`: recorded results of the tools that otherwise look at the target itself. */
export type Telemetry =
  'metrics' | 'logs' | 'traces' | 'changes' | 'kubernetes' | 'status' | 'recordings' | 'probes';

/** Where telemetry of the topology's nodes is found. A `recording` is an incident bundle in INCIDENTS_DIR. */
export interface TopologySource {
  id: string;
  kind: 'recording';
  /** Name of the bundle's folder. */
  incident: string;
  /** What the bundle holds. */
  provides: Telemetry[];
}

/** What can be diagnosed, whole: agents given or derived. Contract section 9. */
export interface Topology {
  id: number;
  name: string;
  description?: string;
  nodes: TopologyNode[];
  globalSupervisor: AgentBinding;
  teams: Team[];
  limits?: LimitOverrides;
  sources?: TopologySource[];
}
