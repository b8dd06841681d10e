import { interruptSignal, unlessAborted } from '../local/interrupt.js';

/**
 * Runs a command that takes seconds to load, with Ctrl-C handled from the first moment on.
 * @param load loads the command; it has started nothing when this resolves
 * @param interrupted the exit code if it was interrupted before it was loaded
 * @returns the exit code
 */
export async function runCommand(
  load: (signal: AbortSignal) => Promise<() => Promise<number>>,
  interrupted: number,
): Promise<number> {
  const signal = interruptSignal();
  let command: () => Promise<number>;
  try {
    command = await unlessAborted(load(signal), signal);
  } catch (error) {
    if (signal.aborted) return interrupted;
    throw error;
  }
  return command();
}
