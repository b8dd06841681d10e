/** What a model provider's trouble is called in events. Contract section 5. */
export type ProviderTrouble = 'RATE_LIMITED' | 'OVERLOADED' | 'AI_ERROR';

/** What the policy must know of an attempt that failed. */
export interface FailedAttempt {
  code: ProviderTrouble;
  /** Whether the same may work later. */
  retryable: boolean;
  /** ms: what the provider asked for. */
  retryAfterMs?: number;
}

export interface RetrySettings {
  /** Attempts of one turn at one model, by the trouble of the last one. */
  attempts: Readonly<Record<ProviderTrouble, number>>;
  /** ms: the first wait, where the provider names none. It doubles with each attempt. */
  baseMs: number;
  /** ms: the longest such wait. */
  maxMs: number;
}

/** Who is told to wait is let in sooner or later, so that asking again is worth more than after an answer that broke. */
export const RETRY: RetrySettings = {
  attempts: { RATE_LIMITED: 10, OVERLOADED: 8, AI_ERROR: 4 },
  baseMs: 500,
  maxMs: 20_000,
};

/** `final`: it would fail again. `attempts`: they are used up. `deadline`: there is no time left to wait for the next one. */
export type Decision =
  { kind: 'retry'; afterMs: number } | { kind: 'give-up'; why: 'final' | 'attempts' | 'deadline' };

/**
 * Whether, and when, an attempt is made again. What the provider asks for is obeyed to the millisecond; else the wait grows
 * exponentially, the upper half of it by chance. So it does where the provider says 0, or a moment that is over: else all
 * attempts would be used up at once.
 * @param attempt from 1: how many were made at this model in this turn
 * @param now ms, on the same clock as `deadline`
 * @param jitter 0 to 1
 */
export function afterFailure(
  failed: FailedAttempt,
  attempt: number,
  now: number,
  deadline: number,
  settings: RetrySettings,
  jitter: number,
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
