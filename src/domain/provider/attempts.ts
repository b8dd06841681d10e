import { chooseModel, type OpenUntil } from './choose-model.js';
import { afterFailure, type FailedAttempt, type RetryContext } from './retry-policy.js';

/** The state of a turn's attempts. Plain JSON. */
export interface Tries {
  /** Number of failed attempts, by model. */
  failed: Record<string, number>;
  /** Models that are not called again in this turn. */
  spent: string[];
}

export const NO_TRIES: Tries = { failed: {}, spent: [] };

/** `over`: no model is left to call, or there is no time to wait. */
export type NextAttempt =
  { kind: 'again'; model: string; afterMs: number; tries: Tries } | { kind: 'over'; tries: Tries };

/**
 * Returns the model for the next attempt: the requested model if it may be called, otherwise a
 * fallback.
 */
export function modelFor(
  chain: readonly string[],
  { spent }: Tries,
  openUntil: OpenUntil,
  now: number,
): string {
  const left = chain.filter((model) => !spent.includes(model));
  return chooseModel(left.length > 0 ? left : chain, openUntil, now);
}

/**
 * Decides what follows a failed attempt: the same model after a wait; another model at once, if the
 * attempts of this one are used up or its breaker has opened; or nothing.
 * @param context with the state of the breakers after the failure
 */
export function nextAttempt(
  chain: readonly string[],
  tries: Tries,
  { model, error }: { model: string; error: FailedAttempt },
  context: RetryContext & { openUntil: OpenUntil },
): NextAttempt {
  const { openUntil, now, deadline } = context;
  const made = (tries.failed[model] ?? 0) + 1;
  const failed = { ...tries.failed, [model]: made };
  const decision = afterFailure(error, made, context);
  const spent = decision.kind === 'give-up' ? [...tries.spent, model] : tries.spent;
  const next: Tries = { failed, spent };
  const left = chain.filter((other) => !spent.includes(other));
  if (left.length === 0 || now >= deadline) return { kind: 'over', tries: next };
  const chosen = chooseModel(left, openUntil, now);
  if (chosen !== model || decision.kind === 'give-up')
    return { kind: 'again', model: chosen, afterMs: 0, tries: next };
  return { kind: 'again', model, afterMs: decision.afterMs, tries: next };
}
