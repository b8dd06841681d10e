import type { Blackboard } from '../../domain/blackboard.js';
import { tokenCeiling } from '../../domain/limits/token-shares.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import { iterationReached, timeReached, tokenReached } from './limit-notices.js';

/** The limit that an agent has come to, in the contract's order of precedence (section 4). */
export function reachedLimit(session: AgentSession): Blackboard['reached'] {
  const { board, spec, writer, shares, place, deadline } = session;
  if (board.turn >= spec.limits.maxIterations) return 'iteration';
  if (writer.tokens >= tokenCeiling(shares, place.type)) return 'token';
  return deadline.aborted ? 'timeout' : null;
}

/** Says which limit an agent has come to, and ends its work: it reports what it has, without another model call. */
export async function limitReached(
  session: AgentSession,
  path: string,
  limit = session.board.reached,
): Promise<'success'> {
  const { board } = session;
  if (limit === null || board.stop) return 'success';
  board.stop = true;
  board.reached = limit;
  board.reasons.push('LIMIT_REACHED');
  const notice = noticeOf(session, limit);
  const { message } = notice.data as { message: string };
  if (limit !== 'timeout') emitAgentEvent(session, `budget.${limit}.exceeded`, { message });
  await session.record([notice], [], path);
  return 'success';
}

function noticeOf(session: AgentSession, limit: NonNullable<Blackboard['reached']>) {
  switch (limit) {
    case 'iteration':
      return iterationReached(session);
    case 'token':
      return tokenReached(
        session,
        session.writer.tokens >= session.shares.budget ? session.shares.budget : 0,
      );
    case 'timeout':
      return timeReached(session);
  }
}
