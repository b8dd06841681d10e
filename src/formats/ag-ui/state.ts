import type { DispatchedAgent, AgentTree } from '../shared/agent-tree.js';
import type { ProviderWaits } from '../shared/provider-waits.js';
import { silence, type TurnText, type Voice } from '../shared/turn-text.js';

/**
 * The state of an active agent. Each attempt of a turn is a separate sub-agent, which keeps the
 * text of a failed attempt.
 */
export interface SubAgent extends DispatchedAgent {
  /** The id of the current sub-agent. */
  id: string;
  attempts: number;
  turn: number;
  attempt: number;
}

export interface TokenUsage {
  model: string;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

/** The state of the encoder for a run. */
export interface AgUiState {
  /**
   * The id of the run in the service, used as prefix of ids. Unique, unlike the ids that clients
   * choose.
   */
  runId: string;
  /** The ids that the client uses for the thread and the run. */
  shown: { threadId: string; runId: string };
  /** The text of the top-level agent. The text of sub-agents is sent immediately. */
  text: TurnText;
  /** The open message of each agent, by its dispatch; '' is the top-level agent. */
  open: Readonly<Record<string, { id: string; voice: Voice }>>;
  subs: AgentTree<SubAgent>;
  waits: ProviderWaits;
  /** Tokens and cost of the current run of the protocol. */
  usage: Readonly<Record<string, TokenUsage>>;
  /** The open approvals, by their ids. */
  interrupts: Readonly<Record<string, object>>;
  /** The run of the protocol has ended with an interrupt; the next event begins another one. */
  isPaused: boolean;
  /** Number of runs of the protocol so far. */
  runs: number;
}

export const START: AgUiState = {
  runId: '',
  shown: { threadId: '', runId: '' },
  text: silence(false),
  open: {},
  subs: {},
  waits: {},
  usage: {},
  interrupts: {},
  isPaused: false,
  runs: 1,
};

/** Returns the key of the open message of an agent. */
export const keyOf = (state: AgUiState, dispatchId: string | null): string =>
  dispatchId !== null && state.subs[dispatchId] ? dispatchId : '';

/** Returns the sub-agent id for a frame; an empty object for the top-level agent. */
export const tag = (state: AgUiState, key: string): { subagentRunId?: string } => {
  const sub = state.subs[key];
  return sub ? { subagentRunId: sub.id } : {};
};

export const named = (state: AgUiState, id: string): string => `${state.runId}:${id}`;
