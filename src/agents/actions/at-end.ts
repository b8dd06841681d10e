import type { DraftEvent } from '../../domain/events/event.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { SessionDraft } from '../runtime/agent-session.js';
import { closeLibrarian } from './close-librarian.js';
import { once } from './once.js';

/**
 * The events before an agent's last one: the report of a librarian that the tree left open, and
 * warnings of rules. Changes the draft.
 */
export function atEnd(draft: SessionDraft): DraftEvent[] {
  const { board, notifier } = draft;
  if (once(board, 'end'))
    emitAgentEvent(draft, 'session.end', { reasons: [...new Set(board.reasons)] });
  const librarian = board.librarian === null ? [] : [closeLibrarian(draft, ['NOT_DONE'])];
  return [...librarian, ...notifier.notify(draft, 'turn_end').events];
}
