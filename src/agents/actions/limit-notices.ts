import { SLOTS, type DraftEvent } from '../../domain/events/event.js';
import { softLimit } from '../../domain/limits/soft-limit.js';
import type { AgentSession } from '../runtime/agent-session.js';

/**
 * Messages about limits. The log decides which of them appears once in a run. Contract section 4.
 */

const grouped = (count: number): string => count.toLocaleString('en-US');

export function iterationWarning(session: AgentSession): { message: string; event: DraftEvent } {
  const { turn } = session.board;
  const { maxIterations, softWarningPercent } = session.spec.limits;
  const message = `Approaching iteration limit (${turn}/${maxIterations}). Consider wrapping up your response.`;
  const details = {
    limit_type: 'iteration',
    current_value: turn,
    limit_value: maxIterations,
    percent: softWarningPercent,
  };
  return { message, event: session.warning('LIMIT_WARNING', message, details) };
}

/**
 * For clients that follow the run: tokens of the whole run. Sent with a usage update; the append
 * omits it if it is too early or was given before.
 */
function tokenWarning(session: AgentSession, from: number): DraftEvent {
  const { tokenBudget, tokenWarningPercent } = session.spec.limits;
  const message = `Approaching token budget (${SLOTS.tokensInWords}/${grouped(tokenBudget)} tokens). Consider being more concise.`;
  const details = {
    limit_type: 'token',
    current_value: SLOTS.tokens,
    limit_value: tokenBudget,
    percent: tokenWarningPercent,
  };
  return session.warning('LIMIT_WARNING', message, details, {
    once: 'token-warning',
    tokens: { from, budget: tokenBudget },
  });
}

/** The model has finished, and no limit has ended its work. */
const isDone = ({ board }: AgentSession): boolean =>
  board.stop && !board.reasons.includes('LIMIT_REACHED');

/**
 * The total that a usage update may have reached: the append omits warnings that it has not
 * reached.
 */
export function tokenNotices(session: AgentSession): DraftEvent[] {
  const { tokenBudget, tokenWarningPercent } = session.spec.limits;
  const soft = softLimit(tokenBudget, tokenWarningPercent);
  // If the threshold was passed before this turn, the agent that passed it has warned.
  const warning = session.writer.tokens < soft ? [tokenWarning(session, soft)] : [];
  // A complete answer is not affected; in a diagnosis other agents continue.
  return isDone(session) && session.place.type === 'oracle'
    ? warning
    : [...warning, tokenReached(session, tokenBudget)];
}

/** For a model: the part of the tokens that it may use. */
export const tokenNote = (used: number, ceiling: number): string =>
  `Approaching token budget (${grouped(used)}/${grouped(ceiling)} tokens). Be concise, and wrap up your work.`;

/** For a model: the time that it has left. */
export const timeNote = ({ deadlineAt, now }: AgentSession): string =>
  `Approaching time limit (${Math.max(0, Math.floor((deadlineAt - now()) / 1_000))} s left). Report what you have soon.`;

export function contextWarning(
  session: AgentSession,
  tokens: number,
  window: number,
): { message: string; event: DraftEvent } {
  const state = tokens > window ? 'Over the' : 'Approaching';
  const message = `${state} context limit (${grouped(tokens)}/${grouped(window)} tokens). Consider wrapping up your response.`;
  const details = {
    limit_type: 'context',
    current_value: tokens,
    limit_value: window,
    percent: Math.floor((tokens / window) * 100),
  };
  return { message, event: session.warning('CONTEXT_LIMIT_WARNING', message, details) };
}

export function iterationReached(session: AgentSession): DraftEvent {
  const { turn } = session.board;
  const { maxIterations } = session.spec.limits;
  const message = `Maximum iterations reached (${turn}/${maxIterations}). Saving partial response.`;
  return session.warning('LIMIT_REACHED', message, reached('iteration', turn, maxIterations));
}

/**
 * @param from tokens of the run: its budget; 0: an agent's part of the budget is used, and the rest
 *   is reserved or available to other agents
 */
export function tokenReached(session: AgentSession, from: number): DraftEvent {
  const { tokenBudget } = session.spec.limits;
  const used = `${SLOTS.tokensInWords}/${grouped(tokenBudget)} tokens`;
  const isPart = from < tokenBudget;
  const message = isPart
    ? `Its part of the token budget is used (${used} of the run; the rest is kept for others). Saving partial response.`
    : `Token budget reached (${used}). ${isDone(session) ? 'No more model calls are made.' : 'Saving partial response.'}`;
  const details = {
    limit_type: 'token',
    current_value: SLOTS.tokens,
    limit_value: tokenBudget,
    percent: SLOTS.percent,
  };
  const once = isPart ? 'token-part-reached' : 'token-reached';
  return session.warning('LIMIT_REACHED', message, details, {
    once,
    tokens: { from, budget: tokenBudget },
  });
}

export function timeReached(session: AgentSession): DraftEvent {
  const { timeoutSeconds } = session.spec.limits;
  const elapsed = Math.min(timeoutSeconds, Math.ceil((session.now() - session.createdAt) / 1_000));
  const message = `Time limit reached (${elapsed}/${timeoutSeconds} s). Saving partial response.`;
  return session.warning('LIMIT_REACHED', message, reached('timeout', elapsed, timeoutSeconds), {
    once: 'time-reached',
  });
}

export const logReached = (session: AgentSession): DraftEvent =>
  session.warning(
    'LIMIT_REACHED',
    'The log of the run is nearly full (LOG_MAX_EVENTS, LOG_MAX_BYTES). Saving partial response.',
    { limit_type: 'log' },
    { once: 'log-reached' },
  );

const reached = (type: 'iteration' | 'timeout', current: number, limit: number) => ({
  limit_type: type,
  current_value: current,
  limit_value: limit,
  percent: Math.floor((current / limit) * 100),
});

export const loopDetected = (
  session: AgentSession,
  pattern: string,
): { message: string; event: DraftEvent } => {
  const message = `Loop detected: ${pattern} was called three times in the last six turns. Try something else, or conclude with what you have.`;
  return { message, event: session.warning('LOOP_DETECTED', message, { pattern }) };
};

export const noProgress = (session: AgentSession, action: string): DraftEvent =>
  session.warning(
    'NO_PROGRESS',
    'No progress detected - the same action was attempted 3 times. Terminating to prevent infinite loop.',
    {
      repeated_action: action,
    },
  );

export const errorLimit = (
  session: AgentSession,
  count: number,
  most: number,
  lastError: string,
): DraftEvent =>
  session.error(
    'ERROR_LIMIT',
    `Multiple consecutive errors (${count}/${most}). Terminating with partial results.`,
    {
      error_count: count,
      last_error: lastError,
    },
  );
