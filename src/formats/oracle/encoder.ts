import type { EventData } from '../../domain/events/event.js';
import { frame, type Encoder, type Frame } from '../encoder.js';
import {
  BEFORE,
  shownText,
  toChatParts,
  type ChatPart,
  type ChatState,
} from '../shared/chat-parts.js';
import { CANCELLED } from '../shared/error-messages.js';

/** Creates a chunk. Omits keys with the value null. */
const chunk = (type: string, keys: object): Frame =>
  frame(
    Object.fromEntries(
      Object.entries({ type, ...keys }).filter(
        ([, value]) => value !== null && value !== undefined,
      ),
    ),
  );

const contextUpdate = ({ contextTokens, maxContextTokens }: ChatState): Frame =>
  chunk('context_update', { context_tokens: contextTokens, max_context_tokens: maxContextTokens });

/**
 * Creates a system chunk. Its type is the code in lower case, for example `limit_warning` or
 * `no_progress`. Dispatch and turn are omitted: an oracle's answer has one of each.
 */
function system(warning: EventData['system.warning']): Frame {
  const { message, code, dispatch_id: _dispatch, turn: _turn, ...details } = warning;
  const metadata = Object.keys(details).length > 0 ? details : null;
  return chunk('system', {
    system_type: code.toLowerCase(),
    system_message: message,
    content: message,
    metadata,
  });
}

const toolCall = (
  part: Extract<ChatPart, { kind: 'call' | 'result' }>,
  status: 'pending' | 'completed' | 'error',
): Frame =>
  chunk('tool_call', {
    tool_call: { id: part.id, name: part.name, arguments: JSON.stringify(part.args), status },
  });

function frames(state: ChatState, part: ChatPart): Frame[] {
  switch (part.kind) {
    case 'start':
      return [contextUpdate(state)];
    case 'text':
      return [chunk('content', { content: shownText(part) })];
    case 'thought':
      return [chunk('thinking', { content: shownText(part) })];
    case 'call':
      return [toolCall(part, 'pending')];
    case 'result':
      return [
        // Pages mark a call with a result as completed, so that the real status is sent after the
        // result.
        chunk('tool_result', { tool_call_id: part.id, tool_result: part.result }),
        toolCall(part, part.ok ? 'completed' : 'error'),
      ];
    case 'notice':
      return [system(part.data)];
    case 'completed': {
      const { usage, model, contextId, contextTokens, maxContextTokens } = state;
      const done = {
        tokens_used: usage.total_tokens,
        model_used: model,
        context_id: contextId,
        context_tokens: contextTokens,
        max_context_tokens: maxContextTokens,
      };
      return [
        ...part.sources.map((source) =>
          chunk('source', { source: { ...source, source_path: source.path } }),
        ),
        contextUpdate(state),
        chunk('done', done),
      ];
    }
    case 'failed':
      return [chunk('error', { error: part.data.error })];
    case 'cancelled':
      return [chunk('error', { error: CANCELLED })];
  }
}

/** Encodes the chunks of the oracle chat panel. */
export const encoder: Encoder<ChatState> = {
  start: BEFORE,
  next(state, event) {
    const [next, parts] = toChatParts(state, event);
    return [next, parts.flatMap((part) => frames(next, part))];
  },
};
