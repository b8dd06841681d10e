import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { processorMs, referenceMs } from '../support/processes/processor-time.js';
import type { FuzzTarget } from './target.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export interface FuzzFigures {
  runs: number;
  /**
   * The longest time for which this thread let nothing else happen, in ms of its own processor
   * time.
   */
  stallMs: number;
  /** Bytes that are held after a full collection, more than before. */
  growth: number;
}

const SAMPLE_MS = 5;
const SETTLE_MS = 50;
const BATCH = 200;
/** Inputs of a slow target, for one of others. */
const SLOW_SHARE = 0.1;
/** Code is compiled, and caches are filled, before memory is compared. */
const WARM_UP = 20;

/**
 * Feeds a target until the time or the number of runs is up, whichever comes first.
 * @throws what fast-check reports of an input that the target did not survive, with its seed
 */
export async function runTarget<Input>(
  target: FuzzTarget<Input>,
  { ms, runs, seed = Date.now() % 2 ** 31 }: { ms: number; runs: number; seed?: number },
): Promise<FuzzFigures> {
  const open = await target.open();
  const share = target.slow ? SLOW_SHARE : 1;
  const feed = (size: number, batch: number) => {
    const atOnce = target.slow ? size : 1;
    const inputs = fc.array(target.input, { minLength: atOnce, maxLength: atOnce });
    const property = fc.asyncProperty(inputs, async (each) => {
      await Promise.all(each.map((input) => open.run(input)));
    });
    return fc.assert(property, { numRuns: size / atOnce, seed: seed + batch });
  };
  try {
    await feed(WARM_UP * share, 0);
    const before = await held();
    const stalls = watchStalls();
    const until = performance.now() + ms;
    let done = 0;
    const most = runs * share;
    for (let batch = 1; done < most && performance.now() < until; batch += 1) {
      const size = Math.min(BATCH * share, most - done);
      await feed(size, batch);
      done += size;
    }
    const stallMs = await stalls();
    return { runs: done, stallMs: Math.round(stallMs), growth: (await held()) - before };
  } finally {
    await open.close();
  }
}

/** Bytes after a full collection. What a closed socket held is freed a moment later. */
async function held(): Promise<number> {
  collectGarbage();
  await sleep(SETTLE_MS);
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * A stretch between two turns of a timer, in ms of `performance.now()`, and the processor time of
 * this thread in it.
 */
interface Stretch {
  from: number;
  to: number;
  used: number;
}

/** Shorter stretches are not kept. */
const LEAST_STALL_MS = 20;

/**
 * The most processor time that this thread has used between two turns of a timer: no other work had
 * a turn meanwhile. Full collections do not count: they collect what the generator of inputs has
 * left.
 */
function watchStalls(): () => Promise<number> {
  const stalls: Stretch[] = [];
  const collections: { from: number; to: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { startTime, duration } = entry;
      // Typed without it: https://nodejs.org/api/perf_hooks.html#garbage-collection-gc-details
      const { kind } = (entry as PerformanceEntry & { detail: { kind: number } }).detail;
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        collections.push({ from: startTime, to: startTime + duration });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  let from = performance.now();
  let used = processorMs();
  const look = () => {
    const stretch = { from, to: performance.now(), used: processorMs() - used };
    [from, used] = [stretch.to, used + stretch.used];
    if (stretch.used >= LEAST_STALL_MS) stalls.push(stretch);
  };
  const timer = setInterval(look, SAMPLE_MS);
  return async () => {
    clearInterval(timer);
    look();
    // Collections are reported after they have ended.
    await sleep(10);
    observer.disconnect();
    return Math.max(
      0,
      ...stalls.map((stall) => stall.used - referenceMs(overlap(stall, collections))),
    );
  };
}

const overlap = (stall: Stretch, others: readonly { from: number; to: number }[]): number =>
  others.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(stall.to, to) - Math.max(stall.from, from)),
    0,
  );
