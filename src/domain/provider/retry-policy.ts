/** Codes of provider failures in events. Contract section 5. */
export type ProviderFailureCode = 'RATE_LIMITED' | 'OVERLOADED' | 'AI_ERROR';

/** The facts about a failed attempt that the policy needs. */
export interface FailedAttempt {
  code: ProviderFailureCode;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** ms that the provider asked to wait. */
  retryAfterMs?: number;
}

export interface RetrySettings {
  /** Maximum attempts of one turn at one model, by the code of the last failure. */
  attempts: Readonly<Record<ProviderFailureCode, number>>;
  /** ms of the first wait if the provider names none. Doubles with each attempt. */
  baseMs: number;
  /** Maximum ms of such a wait. */
  maxMs: number;
}

/**
 * Rate limits get more attempts than broken answers, because a call succeeds once the provider
 * admits it.
 */
export const RETRY: RetrySettings = {
  attempts: { RATE_LIMITED: 10, OVERLOADED: 8, AI_ERROR: 4 },
  baseMs: 500,
  maxMs: 20_000,
};

/**
 * `final`: the request would fail again. `attempts`: all are used up. `deadline`: the next wait
 * would pass the deadline.
 */
export type Decision =
  { kind: 'retry'; afterMs: number } | { kind: 'give-up'; why: 'final' | 'attempts' | 'deadline' };

export interface RetryContext {
  /** ms, on the same clock as `deadline`. */
  now: number;
  deadline: number;
  settings: RetrySettings;
  /** 0 to 1. */
  jitter: number;
}

/**
 * Decides whether and when an attempt is repeated. A wait that the provider requests is obeyed to
 * the millisecond. Otherwise, or if the provider requests 0, the wait grows exponentially, and its
 * upper half is random: without a wait, all attempts would be used up at once.
 * @param attempt number of attempts at this model in this turn, from 1
 */
export function afterFailure(
  failed: FailedAttempt,
  attempt: number,
  { now, deadline, settings, jitter }: RetryContext,
): Decision {
  if (!failed.retryable) return { kind: 'give-up', why: 'final' };
  if (attempt >= settings.attempts[failed.code]) return { kind: 'give-up', why: 'attempts' };
  const backoff = Math.min(settings.baseMs * 2 ** (attempt - 1), settings.maxMs);
  const { retryAfterMs: asked = 0 } = failed;
  const afterMs = asked > 0 ? asked : Math.round(backoff / 2 + (backoff / 2) * jitter);
  return now + afterMs < deadline
    ? { kind: 'retry', afterMs }
    : { kind: 'give-up', why: 'deadline' };
}
