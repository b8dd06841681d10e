import type { DraftEvent } from '../../domain/events/event.js';
import { unanswered } from '../runtime/unanswered.js';
import type { Action } from './action.js';
import { atEnd } from './at-end.js';
import type { AgentSession } from '../runtime/agent-session.js';

/** The last step of the oracle: ends the turn of the conversation. Text that was streamed stays, however the turn ended. */
export const answer: Action = {
  name: 'answer',
  run({ session }, state) {
    const draft = session.draft(state);
    const { board, source } = draft;
    const reasons = [...new Set(board.reasons)];
    const events = atEnd(draft);
    const done: DraftEvent = board.failure
      ? {
          name: 'lifecycle.failed',
          source,
          data: {
            error: board.failure.message,
            code: board.failure.code,
            retryable: board.failure.retryable,
            report: null,
          },
        }
      : {
          name: 'lifecycle.completed',
          source,
          data: {
            summary: textOf(draft) || 'The turn ended before there was an answer.',
            report: null,
            partial: reasons.length > 0,
            reasons,
          },
        };
    return {
      outcome: 'success',
      last: true,
      state: board,
      events: [...unanswered(board, source, null), ...events, done],
    };
  },
};

/** The texts of all model turns of this chat turn, with as much of the last one as there is. */
const textOf = ({ messages, scratch, board }: AgentSession): string =>
  [
    ...messages.flatMap((message) => (message.role === 'assistant' ? [message.text] : [])),
    board.reached === null ? '' : scratch.unfinished,
  ]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
