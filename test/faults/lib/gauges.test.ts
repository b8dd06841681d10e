import { expect, test } from '@jest/globals';
import { judgeGauges, type Sample } from './gauges.js';

const samples = (
  worker: (i: number) => number,
  strays: (i: number) => number = () => 0,
  handles: (i: number) => number = () => 30,
): Sample[] =>
  Array.from({ length: 60 }, (_, i) => ({
    runs: i,
    keys: 8 * i,
    memory: { 'api heap': 50, 'worker heap': worker(i) },
    counts: { 'stray keys': strays(i), 'worker handles': handles(i) },
  }));
const wave = (i: number) => 150 + 30 * Math.sin(i);

test('reports gauges that grow, and none that go up and down', () => {
  expect(judgeGauges(samples(wave, (i) => (i * 7) % 40))).toEqual([]);
  expect(judgeGauges(samples((i) => wave(i) + 5 * i))).toEqual([
    expect.stringMatching(/worker heap grows: from \d+.* to \d+.* MB/),
  ]);
  expect(judgeGauges(samples(wave, (i) => 3 * i))).toEqual([
    expect.stringMatching(/stray keys grows/),
  ]);
  expect(
    judgeGauges(
      samples(
        wave,
        () => 0,
        (i) => 60 * i,
      ),
    ),
  ).toEqual([expect.stringMatching(/worker handles grows/)]);
  // Too few to tell.
  expect(judgeGauges(samples((i) => 50 * i).slice(0, 8))).toEqual([]);
});
