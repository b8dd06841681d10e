/**
 * Runs work with a signal that fires with the given one, or with an error after so many ms. Nothing of it is left once the work has
 * ended.
 */
export async function within<Result>(
  { signal, ms, late }: { signal: AbortSignal; ms: number; late: () => Error },
  work: (own: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const own = new AbortController();
  const stop = () => own.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => own.abort(late()), ms);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
