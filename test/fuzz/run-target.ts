import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { processorMs } from '../support/processor-time.js';
import type { FuzzTarget } from './target.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export interface FuzzFigures {
  runs: number;
  /** The longest time for which this thread let nothing else happen, in ms of its own processor time. */
  stallMs: number;
  /** Bytes that are held after a full collection, more than before. */
  growth: number;
}

const SAMPLE_MS = 5;
const BATCH = 200;
/** Code is compiled, and caches are filled, before memory is compared. */
const WARM_UP = 50;

/**
 * Feeds a target until the time or the number of runs is up, whichever comes first.
 * @throws what fast-check reports of an input that the target did not survive, with its seed
 */
export async function runTarget<Input>(
  target: FuzzTarget<Input>,
  { ms, runs, seed = Date.now() % 2 ** 31 }: { ms: number; runs: number; seed?: number },
): Promise<FuzzFigures> {
  const open = await target.open();
  const property = fc.asyncProperty(target.input, (input) => open.run(input));
  const feed = (numRuns: number, batch: number) =>
    fc.assert(property, { numRuns, seed: seed + batch });
  try {
    await feed(WARM_UP, 0);
    collectGarbage();
    const before = held();
    const stalls = watchStalls();
    const until = performance.now() + ms;
    let done = 0;
    for (let batch = 1; done < runs && performance.now() < until; batch += 1) {
      const size = Math.min(BATCH, runs - done);
      await feed(size, batch);
      done += size;
    }
    const stallMs = stalls();
    collectGarbage();
    return { runs: done, stallMs: Math.round(stallMs), growth: held() - before };
  } finally {
    await open.close();
  }
}

function held(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The most processor time that this thread has used between two turns of a timer: no other work had a turn meanwhile. */
function watchStalls(): () => number {
  let worst = 0;
  let used = processorMs();
  const look = () => {
    const now = processorMs();
    worst = Math.max(worst, now - used);
    used = now;
  };
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    look();
    return worst;
  };
}
