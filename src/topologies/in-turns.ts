import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '../lib/steps.js';

/** ms of work in one turn of the event loop. */
const TURN_MS = 10;

/**
 * Processes a client's input in several turns of the event loop, so that others do not wait for it.
 * Work that fits in one turn takes no other.
 * @param now ms
 */
export async function inTurns<Result>(
  steps: Steps<Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  for (let begun = now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (now() - begun < TURN_MS) continue;
    await nextTurn();
    begun = now();
  }
}
