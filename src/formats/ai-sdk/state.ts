import type { ResultSource, Usage } from '../../domain/events/event.js';
import type { JsonObject } from '../../lib/json.js';
import { frame, type Frame } from '../encoder.js';
import type { AgentTree, DispatchedAgent } from '../shared/agent-tree.js';
import type { ProviderWaits } from '../shared/provider-waits.js';
import { silence, type TurnText, type Voice } from '../shared/turn-text.js';

/** The state of an active agent. Its text is sent after the turn is recorded. */
export interface WorkingAgent extends DispatchedAgent {
  /** The text of its last turn. */
  text?: string;
  turn: number;
  attempt: number;
  saying: string;
}

/** The `data-tool` part for a call of such an agent. */
export interface ToolCard {
  tool_call_id: string;
  dispatch_id: string;
  tool: string;
  args: JsonObject;
  status: string;
}

/** The state of the encoder for a run. */
export interface AiSdkState {
  runId: string;
  text: TurnText;
  /** The turn of the top-level agent that is the current step of the message. */
  step: number;
  block: { id: string; voice: Voice } | null;
  agents: AgentTree<WorkingAgent>;
  /** Calls without a result, by id: null for a call of the top-level agent. */
  calls: Readonly<Record<string, ToolCard | null>>;
  /** The sources of the results so far. */
  sources: readonly ResultSource[];
  waits: ProviderWaits;
  usage: Usage;
  model: string | null;
}

export const START: AiSdkState = {
  runId: '',
  text: silence(false),
  step: 0,
  block: null,
  agents: {},
  calls: {},
  sources: [],
  waits: {},
  usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  model: null,
};

/** Returns the id of a call. It is unique in a conversation, in which every turn is a run. */
export const named = ({ runId }: AiSdkState, id: string): string => `${runId}:${id}`;

/** Creates a part that replaces an earlier one with the same id. */
export const part = (name: string, id: string, data: object): Frame =>
  frame({ type: `data-${name}`, id, data });
