import { abortable } from '../../lib/async.js';

/** Work that did not end within its own time limit; the caller's cancel is not this. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';

  constructor(readonly limitMs: number) {
    super(`not done within ${limitMs} ms`);
  }
}

/**
 * Runs `work` for at most `ms` milliseconds. The signal that it hands to `work` fires on the caller's abort, on the time
 * limit, and when the work has ended however it ended: what is tied to that signal (a socket) never outlives the call. It
 * returns at once also where the work cannot be stopped (a `getaddrinfo` in flight).
 *
 * @throws the reason of `signal`; {@link TimeLimitError}; whatever `work` throws
 */
export async function within<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const onAbort = () => own.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => own.abort(new TimeLimitError(ms)), ms);
  try {
    return await abortable(work(own.signal), own.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    own.abort();
  }
}
