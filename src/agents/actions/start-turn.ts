import { receive } from '../../domain/notifications/next-session.js';
import { softLimit } from '../../domain/limits/soft-limit.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { tokenCeiling } from '../../domain/limits/token-shares.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { iterationWarning, timeNote, tokenNote } from './limit-notices.js';
import { reachedLimit } from './limits-reached.js';

/** The share of its time after which an agent is told of it. */
const LATE = 0.8;

/** Begins a turn, and tells its model where a limit is near; or finds that there is none left, for `limit-reached` to say. */
export function startTurn(session: AgentSession, path: string): 'success' | Promise<'success'> {
  const { board, spec } = session;
  board.reached = reachedLimit(session);
  if (board.reached !== null || board.stop) return 'success';
  board.turn++;

  const { maxIterations, softWarningPercent } = spec.limits;
  const events: DraftEvent[] = [];
  if (board.turn === 1)
    for (const carried of spec.chat?.carried ?? [])
      receive(board.notifications, carried, Date.now());
  emitAgentEvent(session, 'agent.turn.start', { turn: board.turn });
  if (board.turn >= softLimit(maxIterations, softWarningPercent) && session.once('iteration')) {
    const { message, event } = iterationWarning(session);
    events.push(event);
    emitAgentEvent(session, 'budget.iteration.warning', { message });
  }
  const note = nearTokens(session);
  if (note !== null && session.once('token'))
    emitAgentEvent(session, 'budget.token.warning', { message: note });
  if (isLate(session) && session.once('time'))
    emitAgentEvent(session, 'budget.timeout.warning', { message: timeNote(session) });
  const told = session.companion.tell(session, 'turn_start');
  events.push(...told.events);
  return session.recordAny(events, told.messages, path);
}

/** What people are told of tokens comes with the usage; a model is told here, of the part that is for it. */
function nearTokens({ writer, shares, place, spec }: AgentSession): string | null {
  const ceiling = tokenCeiling(shares, place.type);
  return writer.tokens >= softLimit(ceiling, spec.limits.tokenWarningPercent)
    ? tokenNote(writer.tokens, ceiling)
    : null;
}

/** Nobody but the model is told: there is still time to come to an end. */
const isLate = ({ deadlineAt, createdAt }: AgentSession): boolean =>
  Date.now() - createdAt >= (deadlineAt - createdAt) * LATE;
