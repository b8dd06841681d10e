import { ORACLE, type ChatSpec } from './chat/chat.js';
import type { Tree } from './behaviour-tree/tree.js';
import type { JsonObject } from '../lib/json.js';
import type { Limits } from './limits/limit-bounds.js';
import type { AgentBinding, Topology } from './topology/topology.js';

/** Owner of diagnoses, which belong to all callers until there is authentication. */
export const ANONYMOUS_OWNER = 'anonymous';

/** The specification of a run: its input, stored for its whole life. */
export interface RunSpec {
  kind: 'diagnosis' | 'chat';
  owner: string;
  /** `NO_TOPOLOGY` for a chat without a topology. */
  topology: Topology;
  topologyVersion: number;
  /** The behaviour trees of its agents by name, as of the start of the run. */
  behaviours: Record<string, Tree>;
  /** Initial blackboard values of these trees. */
  blackboards?: Record<string, JsonObject>;
  /**
   * Digest of the subscribers, rules and prompts for its agents, see `FileSnapshots`. Undefined: those
   * of the process that runs an agent.
   */
  files?: string;
  /** Random: marks text that does not come from the service, for models. Absent in runs of older versions. */
  dataCode?: string;
  userMessage: string;
  limits: Limits;
  onDisconnect: 'continue' | 'cancel';
  /** The principal that started a diagnosis; undefined: there was no authentication. */
  startedBy?: string;
  /** Only for a chat. */
  chat?: ChatSpec;
}

/** The binding of a run's top agent. */
export const topOf = ({ chat, topology }: Pick<RunSpec, 'chat' | 'topology'>): AgentBinding =>
  chat
    ? { ...ORACLE, ...(chat.model !== undefined && { model: chat.model }) }
    : topology.globalSupervisor;

/** The role whose queue has the job of the top agent. */
export const topRole = (kind: RunSpec['kind']) =>
  kind === 'chat' ? 'oracle' : 'global_supervisor';

/** The part of a specification that lists of runs show. */
export interface RunHead {
  kind: RunSpec['kind'];
  owner: string;
  topologyId: number;
  topologyName: string;
  topologyVersion: number;
  userMessage: string;
  /** ms from acceptance. */
  timeoutMs: number;
  /** Ends the run if no client has followed it for 10 s. */
  onDisconnect?: 'cancel';
  startedBy?: string;
}

export const headOf = ({
  kind,
  owner,
  topology,
  topologyVersion,
  userMessage,
  limits,
  onDisconnect,
  startedBy,
}: RunSpec): RunHead => ({
  kind,
  owner,
  topologyId: topology.id,
  topologyName: topology.name,
  topologyVersion,
  userMessage,
  timeoutMs: limits.timeoutSeconds * 1_000,
  ...(onDisconnect === 'cancel' && { onDisconnect }),
  ...(startedBy !== undefined && { startedBy }),
});
