import type { DraftEvent } from '../domain/event.js';
import type { AgentSession } from './agent-session.js';

/** Begins a turn, or stops the agent that has none left. Contract section 4. */
export async function startTurn(session: AgentSession, path: string): Promise<'success'> {
  const { board, spec, createdAt } = session;
  const { maxIterations, softWarningPercent, timeoutSeconds } = spec.limits;
  const stop = (type: 'iteration' | 'timeout', message: string, current: number, limit: number): Promise<number> => {
    board.stop = true;
    board.reasons.push('LIMIT_REACHED');
    const details = { limit_type: type, current_value: current, limit_value: limit, percent: Math.floor((current / limit) * 100) };
    return session.record([session.warning('LIMIT_REACHED', message, details)], [], path);
  };

  const elapsed = Math.floor((Date.now() - createdAt) / 1_000);
  if (elapsed >= timeoutSeconds)
    await stop('timeout', `Time limit reached (${elapsed}/${timeoutSeconds} s). Saving partial response.`, elapsed, timeoutSeconds);
  else if (board.turn >= maxIterations)
    await stop(
      'iteration',
      `Maximum iterations reached (${board.turn}/${maxIterations}). Saving partial response.`,
      board.turn,
      maxIterations,
    );
  if (board.stop) return 'success';

  board.turn++;
  board.attempt = 1;
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
