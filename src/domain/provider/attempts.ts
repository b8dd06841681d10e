import { chooseModel, type OpenUntil } from './choose-model.js';
import { afterFailure, type FailedAttempt, type RetrySettings } from './retry-policy.js';

/** What a turn must remember of its attempts. Plain JSON. */
export interface Tries {
  /** Attempts that failed, by model. */
  failed: Record<string, number>;
  /** Models that are not asked again in this turn. */
  spent: string[];
}

export const NO_TRIES: Tries = { failed: {}, spent: [] };

/** `over`: nobody is left to ask, or there is no time to wait. */
export type NextAttempt =
  { kind: 'again'; model: string; afterMs: number; tries: Tries } | { kind: 'over'; tries: Tries };

/** What an attempt is to be made at: the model that was asked for, as long as it may be called, else one that takes its place. */
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
 * What follows an attempt that failed: the same model after a wait; another one at once, where this one is used up or its
 * breaker has opened; or nothing.
 * @param openUntil as it is after the failure
 * @param jitter 0 to 1
 */
export function nextAttempt(
  chain: readonly string[],
  tries: Tries,
  model: string,
  error: FailedAttempt,
  {
    openUntil,
    now,
    deadline,
    settings,
    jitter,
  }: {
    openUntil: OpenUntil;
    now: number;
    deadline: number;
    settings: RetrySettings;
    jitter: number;
  },
): NextAttempt {
  const made = (tries.failed[model] ?? 0) + 1;
  const failed = { ...tries.failed, [model]: made };
  const decision = afterFailure(error, made, now, deadline, settings, jitter);
  const spent = decision.kind === 'give-up' ? [...tries.spent, model] : tries.spent;
  const next: Tries = { failed, spent };
  const left = chain.filter((other) => !spent.includes(other));
  if (left.length === 0 || now >= deadline) return { kind: 'over', tries: next };
  const chosen = chooseModel(left, openUntil, now);
  if (chosen !== model || decision.kind === 'give-up')
    return { kind: 'again', model: chosen, afterMs: 0, tries: next };
  return { kind: 'again', model, afterMs: decision.afterMs, tries: next };
}
