import { setTimeout as sleep } from 'node:timers/promises';
import { processorMs } from './processor-time.js';

/** ms between two looks: a look in each turn would use a processor of its own. */
const LOOK_MS = 2;

/**
 * The most processor time in ms that one turn of this thread's event loop uses while work is under
 * way, up to a few ms more, and what the work returns.
 */
export async function longestTurn<Result>(
  work: () => Promise<Result>,
): Promise<{ ms: number; result: Result }> {
  const state = { over: false };
  let ms = 0;
  let before = processorMs();
  const working = work().finally(() => (state.over = true));
  working.catch(() => undefined);
  while (!state.over) {
    await sleep(LOOK_MS);
    const now = processorMs();
    ms = Math.max(ms, now - before);
    before = now;
  }
  return { ms, result: await working };
}
