import type { Blackboard } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { tokenCeiling } from '../../domain/limits/token-shares.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { Action, CompletedAction } from './action.js';
import { iterationReached, logReached, timeReached, tokenReached } from './limit-notices.js';

type Limit = NonNullable<Blackboard['reached']>;

/** The limit that an agent has reached, in the contract's order of precedence (section 4). */
export function reachedLimit(session: AgentSession): Limit | null {
  const { board, spec, writer, shares, place, deadline } = session;
  if (board.turn >= spec.limits.maxIterations) return 'iteration';
  if (writer.tokens >= tokenCeiling(shares, place.type)) return 'token';
  if (deadline.aborted) return 'timeout';
  return writer.isLogNearlyFull ? 'log' : null;
}

/**
 * Reports which limit an agent has reached, and ends its work: it reports its findings without
 * another model call.
 */
export const limitReached: Action = {
  name: 'limit-reached',
  run: ({ session }, state) => endAtLimit(session.draft(state), state.reached),
};

/** The step that ends an agent's work at a limit; changes the draft. */
export function endAtLimit(draft: SessionDraft, limit: Limit | null): CompletedAction {
  const { board } = draft;
  if (limit === null || board.stop) return { outcome: 'success', state: board };
  board.stop = true;
  board.reached = limit;
  board.reasons.push(limit === 'log' ? 'LOG_LIMIT' : 'LIMIT_REACHED');
  const notice = noticeOf(draft, limit);
  const { message } = notice.data as { message: string };
  if (limit === 'iteration' || limit === 'token')
    emitAgentEvent(draft, `budget.${limit}.exceeded`, { message });
  return { outcome: 'success', state: board, events: [notice] };
}

function noticeOf(session: AgentSession, limit: Limit): DraftEvent {
  const { writer, shares } = session;
  switch (limit) {
    case 'iteration':
      return iterationReached(session);
    case 'token':
      return tokenReached(session, writer.tokens >= shares.budget ? shares.budget : 0);
    case 'timeout':
      return timeReached(session);
    case 'log':
      return logReached(session);
  }
}
