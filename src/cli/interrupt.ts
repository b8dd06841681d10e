/** One Ctrl-C may come twice, from the terminal and from npm; later than this it is another one. */
const SAME_MS = 500;

/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM), so that what runs can be cancelled and cleaned up. A second Ctrl-C ends
 * the process at once, with 130.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const interrupt = (): void => {
    if (!controller.signal.aborted) {
      first = performance.now();
      controller.abort();
    } else if (performance.now() - first > SAME_MS) process.exit(130);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // Whoever read along has left (`… | head`): nobody is there to tell the rest to.
  process.stdout.on('error', () => controller.abort());
  return controller.signal;
}
