/**
 * Below npm, one Ctrl-C comes twice, from the terminal and from npm, less than 10 ms apart even on
 * a busy machine. Two that are further apart than this, in ms, are two.
 */
const SAME_MS = 50;

/**
 * How often one Ctrl-C comes. npm, and what works as it does, names its script to the processes
 * below it.
 */
const timesOfOne = (): number => (process.env['npm_lifecycle_event'] === undefined ? 1 : 2);

/**
 * A signal that is aborted at the first Ctrl-C (or SIGTERM), so that running work can be cancelled
 * and cleaned up; prints a message on stderr at once. A second Ctrl-C ends the process immediately,
 * with 130.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const most = timesOfOne();
  let count = 0;
  let isOver = false;
  const interrupt = (): void => {
    if (controller.signal.aborted) return;
    process.stderr.write('Stopping …\n');
    // An immediate runs after the signals that waited for a blocked loop: one that npm sent in time
    // is not taken for another.
    setTimeout(() => setImmediate(() => (isOver = true)), SAME_MS).unref();
    controller.abort();
  };
  process.on('SIGTERM', interrupt);
  process.on('SIGINT', () => {
    count++;
    if (isOver || count > most) process.exit(130);
    interrupt();
  });
  return controller.signal;
}

/**
 * Settles as the work does, or rejects at once when the signal fires; the work itself is not
 * stopped.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
