import { frame, type Encoder, type Frame } from '../encoder.js';
import { BEFORE, toChatParts, type ChatPart, type ChatState } from '../shared/chat-parts.js';
import type { Voice } from '../shared/turn-text.js';
import { agentError } from '../shared/error-messages.js';

interface State {
  story: ChatState;
  /** The block that is open. */
  open: Voice | null;
}

const NAME = { text: 'text', thought: 'reasoning' } as const;
const DONE: Frame = { data: '[DONE]' };

const end = (open: Voice | null): Frame[] =>
  open === null ? [] : [frame({ type: `${NAME[open]}_end` })];

function frames(story: ChatState, open: Voice | null, beat: ChatPart): [Voice | null, Frame[]] {
  switch (beat.kind) {
    case 'start':
      return [null, [frame({ type: 'stream_start' })]];
    case 'text':
    case 'thought': {
      const type = NAME[beat.kind];
      const begun =
        beat.fresh || open !== beat.kind ? [...end(open), frame({ type: `${type}_start` })] : [];
      return [beat.kind, [...begun, frame({ type: `${type}_delta`, delta: beat.text })]];
    }
    case 'call':
      return [
        null,
        [
          ...end(open),
          frame({
            type: 'tool_call',
            tool_id: beat.id,
            tool_name: beat.name,
            arguments: beat.args,
          }),
        ],
      ];
    case 'result': {
      const { id: tool_id, name: tool_name, result, ok: successful } = beat;
      return [
        null,
        [...end(open), frame({ type: 'tool_result', tool_id, tool_name, result, successful })],
      ];
    }
    case 'notice':
      return [open, []];
    case 'completed': {
      const reason = beat.data.partial ? 'limit' : 'stop';
      return [
        null,
        [...end(open), frame({ type: 'stream_end', reason, usage: story.usage }), DONE],
      ];
    }
    case 'cancelled':
      return [
        null,
        [
          ...end(open),
          frame({ type: 'stream_end', reason: 'cancelled', usage: story.usage }),
          DONE,
        ],
      ];
    case 'failed':
      return [null, [...end(open), frame({ type: 'error', error: agentError(beat.data) }), DONE]];
  }
}

/** The agent chat: seed 001. */
export const agent: Encoder<State> = {
  start: { story: BEFORE, open: null },
  next(state, event) {
    const [story, beats] = toChatParts(state.story, event);
    let { open } = state;
    const made: Frame[] = [];
    for (const beat of beats) {
      const [next, some] = frames(story, open, beat);
      open = next;
      made.push(...some);
    }
    return [{ story, open }, made];
  },
};
