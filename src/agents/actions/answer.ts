import type { DraftEvent } from '../../domain/events/event.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { atEnd } from './at-end.js';
import { unanswered } from '../runtime/unanswered.js';

/** The last leaf of the oracle: the end of its turn. What it has said stays said, however that came about. */
export async function answer(session: AgentSession): Promise<'success'> {
  const { board, source } = session;
  const reasons = [...new Set(board.reasons)];
  const events = await atEnd(session);
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
          summary: saidIn(session) || 'The turn ended before there was an answer.',
          report: null,
          partial: reasons.length > 0,
          reasons,
        },
      };
  await session.writer.append([...unanswered(board, source, null), ...events, done], {
    done: true,
  });
  return 'success';
}

/** What the model said in this turn of the conversation, over all of its own turns, and as far as it came in the last. */
const saidIn = ({ messages, unfinished, board }: AgentSession): string =>
  [
    ...messages.flatMap((message) => (message.role === 'assistant' ? [message.text] : [])),
    board.reached === null ? '' : unfinished,
  ]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
