import { readFileSync } from 'node:fs';

/** Linux: ns on a processor, ns of waiting for one, and time slices of the thread that reads it. */
const SCHEDSTAT = '/proc/thread-self/schedstat';

/**
 * ms of processor time that this thread has used. Unlike the clock it does not count what else the machine does, so that a test
 * may bound it. Elsewhere than on Linux that of the whole process.
 */
export function processorMs(): number {
  try {
    return Number(readFileSync(SCHEDSTAT, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

/** ms of processor time that work takes; other work of this thread that runs while it waits is counted too. */
export async function processorMsOf(work: () => unknown): Promise<number> {
  const before = processorMs();
  await work();
  return processorMs() - before;
}
