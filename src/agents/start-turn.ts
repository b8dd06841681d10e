import type { DraftEvent } from '../domain/event.js';
import type { AgentSession } from './agent-session.js';

/** Begins a turn, or stops the agent that has none left. Contract section 4. */
export async function startTurn(session: AgentSession, path: string): Promise<'success'> {
  const { board, spec } = session;
  const { maxIterations, softWarningPercent } = spec.limits;
  if (session.deadline.aborted) await stopAtDeadline(session, path);
  else if (board.turn >= maxIterations) {
    const message = `Maximum iterations reached (${board.turn}/${maxIterations}). Saving partial response.`;
    await stop(session, path, 'iteration', message, board.turn, maxIterations);
  }
  if (board.stop) return 'success';

  board.turn++;
  const soft = Math.max(1, Math.floor((maxIterations * softWarningPercent) / 100));
  if (board.turn >= soft && board.turn > 1 && !board.warned.includes('iteration')) {
    board.warned.push('iteration');
    const message = `Approaching iteration limit (${board.turn}/${maxIterations}). Consider wrapping up your response.`;
    const details = { limit_type: 'iteration', current_value: board.turn, limit_value: maxIterations, percent: softWarningPercent };
    const warning: DraftEvent = session.warning('LIMIT_WARNING', message, details);
    await session.record([warning], [{ role: 'note', text: message }], path);
  }
  return 'success';
}

/** The time is up: the agent reports what it has, without another model call. */
export async function stopAtDeadline(session: AgentSession, path: string): Promise<void> {
  const limit = session.spec.limits.timeoutSeconds;
  const elapsed = Math.min(limit, Math.ceil((Date.now() - session.createdAt) / 1_000));
  await stop(session, path, 'timeout', `Time limit reached (${elapsed}/${limit} s). Saving partial response.`, elapsed, limit);
}

async function stop(
  session: AgentSession,
  path: string,
  type: 'iteration' | 'timeout',
  message: string,
  current: number,
  limit: number,
): Promise<void> {
  session.board.stop = true;
  session.board.reasons.push('LIMIT_REACHED');
  const details = { limit_type: type, current_value: current, limit_value: limit, percent: Math.floor((current / limit) * 100) };
  await session.record([session.warning('LIMIT_REACHED', message, details)], [], path);
}
