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
  // The reader of the output has gone (`… | head`).
  process.stdout.on('error', () => controller.abort());
  return controller.signal;
}
