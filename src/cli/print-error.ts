import { ConsiliumError } from '../domain/errors.js';
import { oneLine } from './layout.js';

/** Says on stderr what went wrong: a message, and every fault of an input with its line. Never a stack trace. */
export function printError(error: unknown, lineOf: (path: string) => number | undefined = () => undefined): void {
  console.error(oneLine(error instanceof Error ? error.message : String(error)));
  if (!(error instanceof ConsiliumError)) return;
  for (const { path, message } of error.options.faults ?? []) {
    const line = lineOf(path);
    console.error(`  ${line === undefined ? '' : `line ${line}, `}${path === '' ? 'the file' : oneLine(path)}: ${oneLine(message)}`);
  }
}
