import { ConsiliumError } from '../domain/errors.js';
import { oneLine } from './report/layout.js';

/**
 * Prints an error on stderr: its message, and every fault of an input by its line. Never a stack
 * trace.
 */
export function printError(
  error: unknown,
  lineOf: (path: string) => number | undefined = () => undefined,
): void {
  const message = error instanceof Error ? error.message : String(error);
  const faults = error instanceof ConsiliumError ? (error.options.faults ?? []) : [];
  // If there are faults, further lines of the message repeat them.
  console.error(oneLine((faults.length > 0 && message.split('\n')[0]) || message));
  const placed = faults.map((fault) => ({ ...fault, line: lineOf(fault.path) }));
  const inOrder = placed.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
  for (const { path, message, line } of inOrder) {
    console.error(
      `  ${line === undefined ? '' : `line ${line}, `}${path === '' ? 'the file' : oneLine(path)}: ${oneLine(message)}`,
    );
  }
}
