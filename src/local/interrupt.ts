/** One Ctrl-C may come twice, from the terminal and from npm; one that comes later than this, in ms, is another one. */
const SAME_MS = 500;

/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM), so that what runs can be cancelled and cleaned up; it says so on
 * stderr at once. A second Ctrl-C ends the process immediately, with 130.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const interrupt = (): void => {
    if (!controller.signal.aborted) {
      first = performance.now();
      process.stderr.write('Stopping …\n');
      controller.abort();
    } else if (performance.now() - first > SAME_MS) process.exit(130);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return controller.signal;
}

/** Settles as the work does, or rejects at once when the signal fires; the work itself is not stopped. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
