import { ORACLE, type ChatSpec } from './chat/chat.js';
import type { Tree } from './behaviour-tree/tree.js';
import type { JsonObject } from '../lib/json.js';
import type { Limits } from './limits/limit-bounds.js';
import type { AgentBinding, Topology } from './topology/topology.js';

/** Whose runs are that are everybody's: diagnoses, until there is authentication. */
export const ANYBODY = 'anonymous';

/** What a run was started with, pinned for its life. */
export interface RunSpec {
  kind: 'diagnosis' | 'chat';
  owner: string;
  /** Of a chat that has none, `NO_TOPOLOGY`. */
  topology: Topology;
  topologyVersion: number;
  /** What its agents do, by name: as it was when the run started, whatever becomes of the files. */
  behaviours: Record<string, Tree>;
  /** What some of them want on the blackboards of their agents at first. */
  blackboards?: Record<string, JsonObject>;
  /** The subscribers and rules that accompany its agents, by their digest: see `RuleSnapshots`. Undefined: those of the process that works on it. */
  files?: string;
  userMessage: string;
  limits: Limits;
  onDisconnect: 'continue' | 'cancel';
  /** Of a chat, and of nothing else. */
  chat?: ChatSpec;
}

/** The agent at the top of a run. */
export const topOf = ({ chat, topology }: Pick<RunSpec, 'chat' | 'topology'>): AgentBinding =>
  chat
    ? { ...ORACLE, ...(chat.model !== undefined && { model: chat.model }) }
    : topology.globalSupervisor;

/** Whose queue the job of the agent at the top is in. */
export const topRole = (kind: RunSpec['kind']) =>
  kind === 'chat' ? 'oracle' : 'global_supervisor';

/** What a list of runs shows of a specification. */
export interface RunHead {
  kind: RunSpec['kind'];
  owner: string;
  topologyId: number;
  topologyName: string;
  topologyVersion: number;
  userMessage: string;
  /** ms from the moment of acceptance. */
  timeoutMs: number;
  /** Ends when no client has followed it for 10 s. */
  onDisconnect?: 'cancel';
}

export const headOf = ({
  kind,
  owner,
  topology,
  topologyVersion,
  userMessage,
  limits,
  onDisconnect,
}: RunSpec): RunHead => ({
  kind,
  owner,
  topologyId: topology.id,
  topologyName: topology.name,
  topologyVersion,
  userMessage,
  timeoutMs: limits.timeoutSeconds * 1_000,
  ...(onDisconnect === 'cancel' && { onDisconnect }),
});
