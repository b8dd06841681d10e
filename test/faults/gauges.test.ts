import { expect, test } from '@jest/globals';
import { judgeGauges, type Sample } from './gauges.js';

const samples = (memory: (i: number) => number, strayKeys: (i: number) => number): Sample[] =>
  Array.from({ length: 60 }, (_, i) => ({ runs: i, keys: 8 * i, memory: { api: 120, worker: memory(i) }, strayKeys: strayKeys(i) }));

test('what goes up and down is flat, what goes up is not', () => {
  const wave = (i: number) => 150 + 30 * Math.sin(i);
  expect(judgeGauges(samples(wave, (i) => (i * 7) % 40))).toEqual([]);
  expect(
    judgeGauges(
      samples(
        (i) => wave(i) + 5 * i,
        () => 0,
      ),
    ),
  ).toEqual([expect.stringMatching(/memory of the worker process grows/)]);
  expect(judgeGauges(samples(wave, (i) => 3 * i))).toEqual([expect.stringMatching(/keys are left behind/)]);
  // Too few to tell.
  expect(
    judgeGauges(
      samples(
        (i) => 50 * i,
        () => 0,
      ).slice(0, 8),
    ),
  ).toEqual([]);
});
