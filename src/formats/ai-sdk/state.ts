import type { Usage } from '../../domain/events/event.js';
import type { JsonObject } from '../../lib/json.js';
import { frame, type Frame } from '../encoder.js';
import type { AgentTree, DispatchedAgent } from '../shared/agent-tree.js';
import type { ProviderWaits } from '../shared/provider-waits.js';
import { silence, type TurnText, type Voice } from '../shared/turn-text.js';

/** What is kept of an agent at work: what it is saying counts when its turn is recorded. */
export interface Working extends DispatchedAgent {
  /** What it said in its last turn. */
  text?: string;
  turn: number;
  attempt: number;
  saying: string;
}

/** A call of such an agent, as its `data-tool` part shows it. */
export interface ToolCard {
  tool_call_id: string;
  dispatch_id: string;
  tool: string;
  args: JsonObject;
  status: string;
}

/** What the encoder remembers of a run. */
export interface State {
  runId: string;
  text: TurnText;
  /** The turn of the agent at the top that is a step of the message. */
  step: number;
  block: { id: string; voice: Voice } | null;
  agents: AgentTree<Working>;
  /** Calls without a result: null for one of the agent at the top. */
  calls: Readonly<Record<string, ToolCard | null>>;
  /** Paths of the sources that were cited. */
  cited: readonly string[];
  waits: ProviderWaits;
  usage: Usage;
  model: string | null;
}

export const START: State = {
  runId: '',
  text: silence(false),
  step: 0,
  block: null,
  agents: {},
  calls: {},
  cited: [],
  waits: {},
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  model: null,
};

/** The id of a call, unique in a conversation, whose turns are runs. */
export const named = ({ runId }: State, id: string): string => `${runId}:${id}`;

/** A part that a later one with the same id replaces. */
export const part = (name: string, id: string, data: object): Frame =>
  frame({ type: `data-${name}`, id, data });
