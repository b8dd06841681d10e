import { writeSync } from 'node:fs';

/**
 * Prints `N passed, N failed` as the last line. A file that could not be loaded counts as a
 * failure.
 */
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
    // Jest prints its own summary after its reporters have run.
    process.once('exit', () => writeSync(1, `\n${line}`));
  }
}
