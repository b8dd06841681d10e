import { ORACLE, type ChatSpec } from './chat/chat.js';
import type { Tree } from './behaviour-tree/tree.js';
import type { JsonObject } from '../lib/json.js';
import type { Limits } from './limits/limit-bounds.js';
import { inTenant, tenantOf } from './tenant.js';
import type { AgentBinding, Topology } from './topology/topology.js';

/** The owner of a diagnosis: all principals of a tenant see it. */
export const ownerOfDiagnoses = (tenant: string): string => inTenant(tenant, 'anonymous');

/**
 * Whether a run is shown to a caller: a diagnosis to its whole tenant, a chat to its own caller.
 * Contract sections 8 and 10.
 */
export const isShownTo = (
  caller: string,
  { kind, owner }: Pick<RunHead, 'kind' | 'owner'>,
): boolean => (kind === 'chat' ? owner === caller : tenantOf(owner) === tenantOf(caller));

/** Code points of the message of a run or a conversation. Contract sections 3 and 8. */
export const MESSAGE_CHARACTERS = 10_000;

/** The specification of a run: its input, stored for its whole life. */
export interface RunSpec {
  kind: 'diagnosis' | 'chat';
  /** The caller of a chat, or `ownerOfDiagnoses`. Names the tenant. */
  owner: string;
  /** `NO_TOPOLOGY` for a chat without a topology. */
  topology: Topology;
  topologyVersion: number;
  /** The behaviour trees of its agents by name, as of the start of the run. */
  behaviours: Record<string, Tree>;
  /** Initial blackboard values of these trees. */
  blackboards?: Record<string, JsonObject>;
  /**
   * Digest of the subscribers, rules and prompts for its agents, see `FileSnapshots`. Undefined:
   * those of the process that runs an agent.
   */
  files?: string;
  /**
   * Random: marks text that does not come from the service, for models. Absent in runs of older
   * versions.
   */
  dataCode?: string;
  /**
   * The message of the person or the system that started it, never of a model: tools and the
   * ranking read it.
   */
  userMessage: string;
  /**
   * The task of the agent at the top, if that is not `userMessage`: a model's version of a
   * conversation.
   */
  task?: string;
  limits: Limits;
  onDisconnect: 'continue' | 'cancel';
  /** Its agents may ask to change things. Contract section 11. */
  repair?: true;
  /**
   * Its place in the queues: runs with a lower number go first. Undefined: in the order of their
   * acceptance.
   */
  order?: number;
  /** The principal that started it, see `startedBy`; undefined: there was no authentication. */
  startedBy?: string;
  /** The trace context of the request that started it: valid, see `readTraceparent`. */
  traceparent?: string;
  /** Only for a chat. */
  chat?: ChatSpec;
}

/**
 * What a run keeps of its specification after its end: not the nodes and teams of its topology,
 * which its log names.
 */
export const withoutTopology = (spec: RunSpec): RunSpec => {
  const { id, name, globalSupervisor } = spec.topology;
  return { ...spec, topology: { id, name, globalSupervisor, nodes: [], teams: [] } };
};

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
  /** Absent in runs of older versions. */
  limits?: Limits;
  /** Ends the run if no client has followed it for 10 s. */
  onDisconnect?: 'cancel';
  startedBy?: string;
  order?: number;
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
  order,
}: RunSpec): RunHead => ({
  kind,
  owner,
  topologyId: topology.id,
  topologyName: topology.name,
  topologyVersion,
  userMessage,
  timeoutMs: limits.timeoutSeconds * 1_000,
  limits,
  ...(onDisconnect === 'cancel' && { onDisconnect }),
  ...(startedBy !== undefined && { startedBy }),
  ...(order !== undefined && { order }),
});
