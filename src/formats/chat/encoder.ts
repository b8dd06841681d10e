import { frame, type Encoder, type Frame } from '../encoder.js';
import {
  BEFORE,
  shownText,
  toChatParts,
  type ChatPart,
  type ChatState,
} from '../shared/chat-parts.js';
import { CANCELLED, chatError } from '../shared/error-messages.js';
import { readableText } from '../shared/result-text.js';

function frames(state: ChatState, part: ChatPart): Frame[] {
  const session_id = state.sessionId ?? state.runId;
  switch (part.kind) {
    case 'start':
      return [frame({ session_id }, 'message_start')];
    case 'text':
      return [frame({ text: shownText(part) }, 'content_delta')];
    case 'call':
      return [frame({ id: part.id, name: part.name }, 'function_call')];
    case 'result': {
      const result = part.ok
        ? readableText(part.json)
        : JSON.stringify({ error: true, code: 'execution_error', message: part.result });
      return [frame({ tool_use_id: part.id, name: part.name, result }, 'function_result')];
    }
    case 'completed': {
      const { usage, at, startedAt } = state;
      return [
        frame(
          {
            session_id,
            tokens_used: usage.total_tokens,
            latency_ms: at - startedAt,
            ...(part.data.partial && { partial: true, reasons: part.data.reasons }),
          },
          'message_end',
        ),
      ];
    }
    case 'failed':
      return [frame(chatError(part.data), 'error')];
    case 'cancelled':
      return [frame({ type: 'cancelled', message: CANCELLED, retryable: false }, 'error')];
    case 'notice': {
      const { call, data } = part;
      if (!call) return [];
      const { run_id } = data;
      const progress = { tool_use_id: call.id, name: call.name, message: data.message };
      return [
        frame({ ...progress, ...(typeof run_id === 'string' && { run_id }) }, 'function_progress'),
      ];
    }
    case 'thought':
      return [];
  }
}

/** Encodes the events of chat front ends. */
export const encoder: Encoder<ChatState> = {
  start: BEFORE,
  next(state, event) {
    const [next, parts] = toChatParts(state, event);
    return [next, parts.flatMap((part) => frames(next, part))];
  },
};
