import type { DraftEvent } from '../../domain/events/event.js';
import { putOff } from '../../domain/notifications/next-session.js';
import { closeLibrarian } from './ask-librarian.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';

/**
 * What rules have to say of an agent's end, and what a tree has left open: for its last step. Its model is not told any more.
 * What they put off until the next session is recorded here, since nothing is kept of a board after its last step.
 */
export async function atEnd(session: AgentSession): Promise<DraftEvent[]> {
  const { board, companion } = session;
  if (session.once('end'))
    emitAgentEvent(session, 'session.end', { reasons: [...new Set(board.reasons)] });
  const librarian = board.librarian === null ? [] : [closeLibrarian(session, ['NOT_DONE'])];
  const events = [...librarian, ...companion.tell(session, 'turn_end').events];
  if (putOff(board.notifications).length === 0) return events;
  await session.record(events);
  return [];
}
