import type { DraftEvent } from '../../domain/events/event.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { SessionDraft } from '../runtime/agent-session.js';
import { librarianReport, summariesOf } from './librarian.js';

/**
 * Ends a librarian's work with the summaries that it has made so far. Changes the draft.
 * @returns its report
 */
export function closeLibrarian(draft: SessionDraft, reasons: string[]): DraftEvent {
  const { board, source } = draft;
  const open = board.librarian ?? { dispatch_id: '', parts: [], said: [] };
  const summaries = summariesOf(draft, open);
  board.view = { ...board.view, summaries: { ...board.view.summaries, ...summaries } };
  board.librarian = null;
  // The provider's count was of more than is sent now.
  board.context = null;
  emitAgentEvent(draft, 'subagent.end', {
    dispatch_id: open.dispatch_id,
    status: reasons.length === 0 ? 'ok' : 'partial',
  });
  return librarianReport(source, open, summaries, reasons);
}
