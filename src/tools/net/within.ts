/** Work that did not end within its own time limit; the caller's cancel is not this. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';

  constructor(readonly limitMs: number) {
    super(`not done within ${limitMs} ms`);
  }
}

/** Rejects with the signal's reason once it fires. `throwIfAborted` rather than `reject(reason)`: a reason may be of any type. */
async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted)
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
  signal.throwIfAborted();
  throw new Error('an aborted signal without a reason');
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
    return await Promise.race([work(own.signal), aborted(own.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    own.abort();
  }
}

/** Waits `ms` milliseconds. @throws the signal's reason, at once when it fires */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const forever = new Promise<never>(() => undefined);
  await within(signal, ms, () => forever).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!(error instanceof TimeLimitError)) throw error;
  });
}
