import { softLimit } from '../domain/soft-limit.js';
import type { DraftEvent } from '../domain/event.js';
import { tokenCeiling } from '../domain/token-shares.js';
import type { AgentSession } from './agent-session.js';
import type { Message } from './conversation.js';
import { iterationWarning, tokenNote } from './limit-notices.js';
import { reachedLimit } from './limits-reached.js';

/** Begins a turn, and tells its model where a limit is near; or finds that there is none left, for `limit-reached` to say. */
export async function startTurn(session: AgentSession, path: string): Promise<'success'> {
  const { board, spec } = session;
  board.reached = reachedLimit(session);
  if (board.reached !== null || board.stop) return 'success';
  board.turn++;

  const { maxIterations, softWarningPercent } = spec.limits;
  const events: DraftEvent[] = [];
  const notes: Message[] = [];
  if (board.turn >= softLimit(maxIterations, softWarningPercent) && session.once('iteration')) {
    const { message, event } = iterationWarning(session);
    events.push(event);
    notes.push({ role: 'note', text: message });
  }
  const note = nearTokens(session);
  if (note !== null && session.once('token')) notes.push({ role: 'note', text: note });
  if (notes.length > 0) await session.record(events, notes, path);
  return 'success';
}

/** What people are told of tokens comes with the usage; a model is told here, of the part that is for it. */
function nearTokens({ writer, shares, place, spec }: AgentSession): string | null {
  const ceiling = tokenCeiling(shares, place.type);
  return writer.tokens >= softLimit(ceiling, spec.limits.tokenWarningPercent) ? tokenNote(writer.tokens, ceiling) : null;
}
