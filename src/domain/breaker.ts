import type { FailedAttempt } from './retry-policy.js';

/**
 * The breaker of one model. `closed`: calls pass, and failures in a row are counted. `open`: none passes until then.
 * `trying`: one call is under way to see whether the model is back; it counts as lost after a while. Times are ms.
 */
export type Breaker =
  | { state: 'closed'; failures: number }
  | { state: 'open'; until: number; times: number }
  | { state: 'trying'; until: number; times: number };

export interface BreakerSettings {
  /** Failures in a row that open it. */
  failures: number;
  /** ms: how long it stays open the first time. It doubles each time that a trial fails. */
  openMs: number;
  maxOpenMs: number;
  /** ms: how long a trial may take. */
  trialMs: number;
}

export const BREAKER: BreakerSettings = { failures: 5, openMs: 10_000, maxOpenMs: 120_000, trialMs: 120_000 };
export const CLOSED: Breaker = { state: 'closed', failures: 0 };

/** Whether a call may be made now. */
export const mayCall = (breaker: Breaker, now: number): boolean => breaker.state === 'closed' || now >= breaker.until;

/** A call is being made. */
export function onCall(breaker: Breaker, now: number, { trialMs }: BreakerSettings): Breaker {
  return breaker.state === 'closed' ? breaker : { state: 'trying', until: now + trialMs, times: breaker.times };
}

/** A call was given up by whoever made it: of a trial, the next call is one. */
export function onAbandoned(breaker: Breaker, now: number): Breaker {
  return breaker.state === 'trying' ? { state: 'open', until: now, times: breaker.times } : breaker;
}

/**
 * A call failed. Only what tells of the model's health counts: not a rate limit, which has its own wait, nor what would fail
 * at a healthy model too.
 */
export function onFailure(breaker: Breaker, { code, retryable }: FailedAttempt, now: number, settings: BreakerSettings): Breaker {
  if (!retryable || code === 'RATE_LIMITED') return breaker.state === 'trying' ? CLOSED : breaker;
  const { failures, openMs, maxOpenMs } = settings;
  switch (breaker.state) {
    case 'closed':
      return breaker.failures + 1 < failures
        ? { state: 'closed', failures: breaker.failures + 1 }
        : { state: 'open', until: now + openMs, times: 1 };
    case 'trying':
      return { state: 'open', until: now + Math.min(openMs * 2 ** breaker.times, maxOpenMs), times: breaker.times + 1 };
    case 'open':
      // Of a call that was made before it opened.
      return breaker;
  }
}

/**
 * The model to call: the first of the chain that may be called; where none may, the one that may again the soonest.
 * @param chain not empty: the model that was asked for, then its fallbacks
 */
export function chooseModel(chain: readonly string[], breakerOf: (model: string) => Breaker, now: number): string {
  const until = (model: string): number => {
    const breaker = breakerOf(model);
    return breaker.state === 'closed' ? 0 : breaker.until;
  };
  const [first, ...others] = chain;
  if (first === undefined) throw new RangeError('a chain of models is never empty');
  return (
    chain.find((model) => mayCall(breakerOf(model), now)) ?? others.reduce((best, next) => (until(next) < until(best) ? next : best), first)
  );
}
