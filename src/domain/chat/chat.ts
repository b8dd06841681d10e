import type { CarriedOver } from '../notifications/deferred-notice.js';
import type { AgentBinding, Topology } from '../topology/topology.js';

/** What may be looked up for an answer. */
export const SOURCE_KINDS = ['topologies', 'runs', 'logs', 'tools'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** An earlier message of a conversation, as its model sees it. */
export interface PastMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** What is pinned of a conversation for one turn of it. */
export interface ChatSpec {
  sessionId: string;
  contextId: string;
  /** The context id of the exchange that this one goes on from; null for the first of its branch. */
  parent?: string | null;
  /** From the root of the conversation to the exchange that this one goes on from. */
  history: PastMessage[];
  /** Undefined: the default model. */
  model?: string;
  /** What may be looked up; undefined: everything. */
  sources?: SourceKind[];
  /** The caller wants to see the reasoning. */
  thinking?: boolean;
  /** What the front end adds to the question, as text. */
  context?: string;
  /** What was put off until this session. */
  carried?: CarriedOver[];
  /** What the client calls the run of this turn, where its protocol has it name runs. */
  clientRunId?: string;
}

/** The binding of the oracle, the same in every chat. */
export const ORACLE: AgentBinding = { agentId: 'oracle', name: 'Oracle' };

/** Stands for the topology of a chat that has none. */
export const NO_TOPOLOGY: Topology = {
  id: 0,
  name: '',
  nodes: [],
  globalSupervisor: ORACLE,
  teams: [],
};
