import type { Tries } from '../../../domain/provider/attempts.js';
import type { CallAdmission } from '../../../models/calls/model-calls.js';
import type { ModelError } from '../../../models/calls/model-error.js';
import type { ModelEntry } from '../../../models/models.js';
import { utcTime } from '../../../lib/utc-time.js';
import type { AgentSession } from '../../runtime/agent-session.js';

/** Minimum wait that is announced; ms. */
const UNTOLD_MS = 1_000;
/** Minimum wait whose end is given as a time; ms. */
const LONG_MS = 10_000;

/** Records that another attempt follows, and when. */
export async function announceRetry(
  session: AgentSession,
  entry: ModelEntry,
  error: ModelError,
  next: { tries: Tries; afterMs: number; model: string; notBefore: number },
): Promise<void> {
  const then =
    next.model === entry.name
      ? `Trying again in ${waitText(next.afterMs, session.now())}.`
      : `"${next.model}" takes its place.`;
  await session.step(({ board }) => ({
    state: {
      ...board,
      tries: next.tries,
      nextAttempt: board.attempt + 1,
      notBefore: next.notBefore,
    },
    events: [
      session.warning(error.code, `${error.message} ${then}`, {
        retryable: true,
        attempt: board.attempt,
        retry_in_ms: next.afterMs,
        model: next.model,
      }),
    ],
  }));
}

/** Records that the request is repeated with a shorter prompt. */
export async function announceShorter(
  session: AgentSession,
  { name }: ModelEntry,
  { code, message }: ModelError,
): Promise<void> {
  await session.step(({ board }) => ({
    state: { ...board, nextAttempt: board.attempt + 1 },
    events: [
      session.warning(code, `${message} Trying again with a shorter prompt.`, {
        retryable: true,
        attempt: board.attempt,
        retry_in_ms: 0,
        model: name,
      }),
    ],
  }));
}

/**
 * Announces that the agent waits for a model without having made an attempt: its provider asked for
 * a pause, or the calls of this minute are used up.
 */
export async function announceWait(
  session: AgentSession,
  { why, ms, entry }: Extract<CallAdmission, { kind: 'wait' }>,
): Promise<void> {
  if (why === 'busy' || ms <= UNTOLD_MS) return;
  const message =
    why === 'hold'
      ? `The provider of "${entry.name}" asked us to wait (Retry-After). Trying again in ${waitText(ms, session.now())}.`
      : `All calls of "${entry.name}" that may be made in a minute were made; the next one in ${waitText(ms, session.now())}.`;
  const details = {
    retryable: true,
    attempt: session.board.nextAttempt,
    retry_in_ms: ms,
    model: entry.name,
  };
  await session.step(({ board }) => ({
    state: board,
    events: [session.warning('RATE_LIMITED', message, details)],
  }));
}

/** A wait in seconds; for a long one also its end. */
const waitText = (ms: number, now: number): string =>
  `${seconds(ms)}${ms < LONG_MS ? '' : `, at ${utcTime(now + ms)}`}`;

export const seconds = (ms: number): string => `${Math.ceil(ms / 100) / 10} s`;
