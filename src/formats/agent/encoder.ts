import { frame, type Encoder, type Frame } from '../encoder.js';
import {
  BEFORE,
  shownText,
  toChatParts,
  type ChatPart,
  type ChatState,
} from '../shared/chat-parts.js';
import type { Voice } from '../shared/turn-text.js';
import { agentError } from '../shared/error-messages.js';

interface State {
  chat: ChatState;
  /** The voice of the open block. */
  open: Voice | null;
}

const NAME = { text: 'text', thought: 'reasoning' } as const;
const DONE: Frame = { data: '[DONE]' };

const end = (open: Voice | null): Frame[] =>
  open === null ? [] : [frame({ type: `${NAME[open]}_end` })];

function frames(chat: ChatState, open: Voice | null, part: ChatPart): [Voice | null, Frame[]] {
  switch (part.kind) {
    case 'start':
      return [null, [frame({ type: 'stream_start' })]];
    case 'text':
    case 'thought': {
      const type = NAME[part.kind];
      const begun =
        part.fresh || open !== part.kind ? [...end(open), frame({ type: `${type}_start` })] : [];
      return [part.kind, [...begun, frame({ type: `${type}_delta`, delta: shownText(part) })]];
    }
    case 'call':
      return [
        null,
        [
          ...end(open),
          frame({
            type: 'tool_call',
            tool_id: part.id,
            tool_name: part.name,
            arguments: part.args,
          }),
        ],
      ];
    case 'result': {
      const { id: tool_id, name: tool_name, result, ok: successful } = part;
      return [
        null,
        [...end(open), frame({ type: 'tool_result', tool_id, tool_name, result, successful })],
      ];
    }
    case 'notice': {
      const { call, data } = part;
      if (!call) return [open, []];
      const { run_id } = data;
      const progress = { tool_id: call.id, tool_name: call.name, message: data.message };
      const run = typeof run_id === 'string' && { run_id };
      return [open, [frame({ type: 'tool_progress', ...progress, ...run })]];
    }
    case 'completed': {
      const reason = part.data.partial ? 'limit' : 'stop';
      return [null, [...end(open), frame({ type: 'stream_end', reason, usage: chat.usage }), DONE]];
    }
    case 'cancelled':
      return [
        null,
        [...end(open), frame({ type: 'stream_end', reason: 'cancelled', usage: chat.usage }), DONE],
      ];
    case 'failed':
      return [null, [...end(open), frame({ type: 'error', error: agentError(part.data) }), DONE]];
  }
}

/** Encodes the events of the agent chat. */
export const encoder: Encoder<State> = {
  start: { chat: BEFORE, open: null },
  next(state, event) {
    const [chat, parts] = toChatParts(state.chat, event);
    let { open } = state;
    const made: Frame[] = [];
    for (const part of parts) {
      const [next, some] = frames(chat, open, part);
      open = next;
      made.push(...some);
    }
    return [{ chat, open }, made];
  },
};
