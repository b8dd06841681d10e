import type { DispatchedAgent, AgentTree } from '../shared/agent-tree.js';
import type { ProviderWaits } from '../shared/provider-waits.js';
import { silence, type TurnText, type Voice } from '../shared/turn-text.js';

/** What AG-UI keeps of an agent at work. Each attempt of a turn is a sub-agent of its own: what a failed attempt said stays with it. */
export interface SubAgent extends DispatchedAgent {
  /** Of the sub-agent as it is now. */
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

/** What the encoder remembers of a run. */
export interface State {
  /** What ids begin with: unique, whatever a client calls its runs. */
  runId: string;
  /** The run as its client knows it. */
  shown: { threadId: string; runId: string };
  /** Of the agent at the top; what sub-agents say is shown as they say it. */
  text: TurnText;
  /** The open message of each agent, by its dispatch; '' is the top. */
  open: Readonly<Record<string, { id: string; voice: Voice }>>;
  subs: AgentTree<SubAgent>;
  waits: ProviderWaits;
  usage: Readonly<Record<string, TokenUsage>>;
}

export const START: State = {
  runId: '',
  shown: { threadId: '', runId: '' },
  text: silence(false),
  open: {},
  subs: {},
  waits: {},
  usage: {},
};

/** The key of an agent's open message. */
export const keyOf = (state: State, dispatchId: string | null): string =>
  dispatchId !== null && state.subs[dispatchId] ? dispatchId : '';

/** The sub-agent that a frame belongs to; nothing for the agent at the top. */
export const tag = (state: State, key: string): { subagentRunId?: string } => {
  const sub = state.subs[key];
  return sub ? { subagentRunId: sub.id } : {};
};

export const named = (state: State, id: string): string => `${state.runId}:${id}`;
