import { appendFileSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor time of this process, and of its child processes that have ended, in seconds. */
function secondsUsed() {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return { own, children: (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND };
  } catch {
    return { own, children: 0 }; // Only Linux tells it.
  }
}

/**
 * Writes the processor time of a test file to the file that TEST_TIMES names, as a line of values
 * between tabs: seconds of the Jest worker, seconds until the file and its imports were loaded,
 * seconds of child processes, and the name of the test file.
 */
export class FileTimes {
  #begin = secondsUsed();
  #loaded = this.#begin;

  loaded() {
    this.#loaded = secondsUsed();
  }

  write(testFile) {
    if (process.env.TEST_TIMES === undefined) return;
    const { own, children } = secondsUsed();
    const times = [
      own - this.#begin.own,
      this.#loaded.own - this.#begin.own,
      children - this.#begin.children,
    ];
    const values = [...times.map((seconds) => seconds.toFixed(2)), testFile];
    appendFileSync(process.env.TEST_TIMES, `${values.join('\t')}\n`);
  }
}
