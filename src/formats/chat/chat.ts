import { frame, type Encoder, type Frame } from '../encoder.js';
import { BEFORE, toChatParts, type ChatPart, type ChatState } from '../shared/chat-parts.js';
import { CANCELLED, chatError } from '../shared/error-messages.js';

function frames(story: ChatState, beat: ChatPart): Frame[] {
  const session_id = story.sessionId ?? story.runId;
  switch (beat.kind) {
    case 'start':
      return [frame({ session_id }, 'message_start')];
    case 'text':
      return [frame({ text: beat.gap ? `\n\n${beat.text}` : beat.text }, 'content_delta')];
    case 'call':
      return [frame({ id: beat.id, name: beat.name }, 'function_call')];
    case 'result': {
      const result = beat.ok
        ? beat.result
        : JSON.stringify({ error: true, code: 'execution_error', message: beat.result });
      return [frame({ tool_use_id: beat.id, name: beat.name, result }, 'function_result')];
    }
    case 'completed': {
      const { usage, at, startedAt } = story;
      return [
        frame(
          { session_id, tokens_used: usage.total_tokens, latency_ms: at - startedAt },
          'message_end',
        ),
      ];
    }
    case 'failed':
      return [frame(chatError(beat.data), 'error')];
    case 'cancelled':
      return [frame({ type: 'cancelled', message: CANCELLED, retryable: false }, 'error')];
    case 'thought':
    case 'notice':
      return [];
  }
}

/** Chat front ends: seed 004. */
export const chat: Encoder<ChatState> = {
  start: BEFORE,
  next(state, event) {
    const [story, beats] = toChatParts(state, event);
    return [story, beats.flatMap((beat) => frames(story, beat))];
  },
};
