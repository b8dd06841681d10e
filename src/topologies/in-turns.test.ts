import { expect, it } from '@jest/globals';
import type { Steps } from '../lib/steps.js';
import { inTurns } from './in-turns.js';

let now: number;
let done: number;
/** A work of steps of 4 ms. */
function* work(steps: number): Steps<string> {
  now = 0;
  for (done = 0; done < steps; done++) {
    now += 4;
    yield;
  }
  return 'done';
}
/** How many steps were done in each turn of the event loop until the work has ended. */
async function stepsOfTurns(steps: number): Promise<number[]> {
  const seen: number[] = [];
  let isOver = false;
  const look = () => {
    seen.push(done);
    if (!isOver) setImmediate(look);
  };
  const result = inTurns(work(steps), () => now);
  setImmediate(look);
  expect(await result).toBe('done');
  isOver = true;
  return seen.map((count, i) => count - (seen[i - 1] ?? 0));
}

it('takes 10 ms of each turn of the event loop, and lets others have the rest', async () => {
  const turns = await stepsOfTurns(30);
  expect(Math.max(...turns)).toBeLessThanOrEqual(3);
  expect(turns.length).toBeGreaterThanOrEqual(9);
});

it('takes no other turn for a small work', async () => {
  expect(await stepsOfTurns(2)).toEqual([]);
});

it('rejects with what a step throws', async () => {
  await expect(
    inTurns(
      (function* (): Steps<string> {
        yield;
        throw new Error('no');
      })(),
    ),
  ).rejects.toThrow('no');
});
