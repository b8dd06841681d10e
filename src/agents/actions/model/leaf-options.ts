import type { Source, Turn } from '../../../domain/events/event.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Leaf } from '../../../domain/behaviour-tree/tree.js';

/** The options of the tree's llm-call, with resolved references. */
export interface LeafOptions {
  model?: string;
  /** Appended to the conversation for the model. */
  messages: string[];
  /** Names of tools; undefined: all tools of the agent. */
  tools?: readonly string[];
  /** Keys that receive the text of the answer. */
  streamTo: string[];
  /** Maximum tokens of the answer. */
  budget?: number;
  timeoutMs?: number;
}

/** Whether the tree has cancelled the call: by a timeout, a guard, or a decided parallel. */
export interface LeafCut {
  /** Fires when the tree cancels the leaf, if it may be interrupted. Created when it is read. */
  readonly signal: AbortSignal;
  options: LeafOptions;
  /**
   * The agent that makes the call, if it is another one. Its text is not streamed, because a report
   * will contain it.
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
