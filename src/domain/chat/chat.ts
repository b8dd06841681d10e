import type { CarriedOver } from '../notifications/deferred-notice.js';
import type { Role } from '../roles.js';
import type { AgentBinding, Topology } from '../topology/topology.js';

/** The kinds of data that the oracle may look up for an answer. */
export const SOURCE_KINDS = ['topologies', 'runs', 'logs', 'tools'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** An earlier message of a conversation, as its model sees it. */
export interface PastMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** The data of a conversation that is fixed for one of its turns. */
export interface ChatSpec {
  sessionId: string;
  contextId: string;
  /**
   * The context id of the exchange that this one continues; null for the first exchange of its
   * branch.
   */
  parent?: string | null;
  /** The messages from the root of the conversation to the exchange that this one continues. */
  history: PastMessage[];
  /**
   * Earlier exchanges of its branch called tools or had a context, or it is not known that none
   * did: their answers may hold what was read.
   */
  hasRead?: true;
  /** Undefined: the default model. */
  model?: string;
  /** The kinds of data that may be looked up; undefined: all. */
  sources?: SourceKind[];
  /**
   * Of the principal that asks: what the oracle may do for it. Undefined: there is no
   * authentication.
   */
  role?: Role;
  /** The caller wants to see the reasoning. */
  thinking?: boolean;
  /** Text that the front end adds to the question. */
  context?: string;
  /** The run that the caller looks at. */
  about?: string;
  /** Notices that were deferred to this session. */
  carried?: CarriedOver[];
  /** The id that the client chose for this run, if its protocol lets clients name runs. */
  clientRunId?: string;
}

/** The binding of the oracle, the same in every chat. */
export const ORACLE: AgentBinding = { agentId: 'oracle', name: 'Oracle' };

/** The empty topology of a chat without a topology. */
export const NO_TOPOLOGY: Topology = {
  id: 0,
  name: '',
  nodes: [],
  globalSupervisor: ORACLE,
  teams: [],
};
