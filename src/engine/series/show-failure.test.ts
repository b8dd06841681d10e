import { expect, test } from '@jest/globals';
import { findOnset } from './onset/onset.js';
import { showFailure } from './show-failure.js';

const MINUTE = 60_000;
/** An hour of memory in use, which swings by a tenth. */
function memory(valueAt: (minute: number) => number) {
  const times = Array.from({ length: 60 }, (_, i) => i * MINUTE);
  const values = times.map((_, i) => valueAt(i) * (i % 2 === 0 ? 1 : 1.1));
  const onset = findOnset({ times, values });
  if (onset === undefined) throw new Error('it did not move');
  return { name: 'jvm_memory_used_bytes', node: 'cart', labels: {}, times, values, onset };
}

test.each([
  ['grows on', true, (minute: number) => 100 + 10 * Math.max(0, minute - 20)],
  ['stepped to another level', false, (minute: number) => (minute < 30 ? 100 : 400)],
  ['levels off', false, (minute: number) => 400 - 300 * Math.exp(-Math.max(0, minute - 25) / 4)],
])('memory that %s is a failure by itself: %s', (_, showsFailure, valueAt) => {
  const series = memory(valueAt);
  expect(series.onset.ramp).toBe(false);
  expect(showFailure([series], [series])).toBe(showsFailure);
});

test('a series whose name says nothing is no failure alone, however far it moved', () => {
  const stepped = memory((minute) => (minute < 30 ? 100 : 9_000));
  expect(showFailure([{ ...stepped, name: 'widgets' }], [])).toBe(false);
});
