import { ConsiliumError } from '../domain/errors.js';
import { oneLine } from './layout.js';

/** Says on stderr what went wrong: a message, and every fault of an input with its line. Never a stack trace. */
export function printError(
  error: unknown,
  lineOf: (path: string) => number | undefined = () => undefined,
): void {
  const message = error instanceof Error ? error.message : String(error);
  const faults = error instanceof ConsiliumError ? (error.options.faults ?? []) : [];
  // Where there are faults, further lines of the message are these.
  console.error(oneLine((faults.length > 0 && message.split('\n')[0]) || message));
  for (const { path, message } of faults) {
    const line = lineOf(path);
    console.error(
      `  ${line === undefined ? '' : `line ${line}, `}${path === '' ? 'the file' : oneLine(path)}: ${oneLine(message)}`,
    );
  }
}
