import type { Source, Turn } from '../../../domain/events/event.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Leaf } from '../../../domain/behaviour-tree/tree.js';

/** What the llm-call of a tree says about this call, its references looked up. */
export interface LeafOptions {
  model?: string;
  /** Said to the model behind the conversation. */
  messages: string[];
  /** Names of tools; undefined: all that the agent has. */
  tools?: readonly string[];
  /** Keys that the answer's text goes to. */
  streamTo: string[];
  /** Tokens that the answer may have. */
  budget?: number;
  timeoutMs?: number;
}

/** Where a tree cuts a call off: by a timeout, a guard, or a parallel that is decided. */
export interface LeafCut {
  /** Fires when the tree cancels the leaf, if it may be interrupted. Created when it is read. */
  readonly signal: AbortSignal;
  options: LeafOptions;
  /**
   * The agent that makes the call, if it is another one. Its text is not streamed: a report will
   * hold it.
   */
  speaker?: { source: Source; place: Pick<Turn, 'dispatch_id' | 'turn'> };
}

/** @param abort of the leaf */
export function cutOf({ options = {} }: Leaf, abort: { readonly signal: AbortSignal }): LeafCut {
  return {
    options: readOptions(options),
    get signal() {
      return options['interruptible'] === false ? new AbortController().signal : abort.signal;
    },
  };
}

function readOptions({
  model,
  messages,
  tools,
  streamTo,
  budget,
  timeoutMs,
}: JsonObject): LeafOptions {
  return {
    messages: Array.isArray(messages)
      ? messages.map((message) => (typeof message === 'string' ? message : JSON.stringify(message)))
      : [],
    streamTo: Array.isArray(streamTo) ? streamTo.filter((key) => typeof key === 'string') : [],
    ...(typeof model === 'string' && { model }),
    ...(Array.isArray(tools) && { tools: tools.filter((name) => typeof name === 'string') }),
    ...(typeof budget === 'number' && { budget: Math.ceil(budget) }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
  };
}
