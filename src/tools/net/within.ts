import { abortable, withinTime } from '../../lib/async.js';

/** Work that did not end within its own time limit; the caller's cancel is not this. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';

  constructor(readonly limitMs: number) {
    super(`not done within ${limitMs} ms`);
  }
}

/**
 * Runs `work` for at most `ms` milliseconds: see {@link withinTime}. Returns at once also where the
 * work cannot be stopped (a `getaddrinfo` in flight).
 *
 * @throws the reason of `signal`; {@link TimeLimitError}; whatever `work` throws
 */
export const within = <T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  withinTime({ outer: signal, ms, late: () => new TimeLimitError(ms) }, (own) =>
    abortable(work(own), own),
  );
