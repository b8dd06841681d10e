import { expect, test } from '@jest/globals';
import { hasMoreValues } from './has-more-values.js';

test.each<[unknown, number]>([
  [null, 0],
  ['text', 0],
  [[], 0],
  [[1, null, 'a'], 3],
  [{ a: 1, b: [1, { c: [] }] }, 5],
])('%j has %d values', (value, count) => {
  expect(hasMoreValues(value, count)).toBe(false);
  expect(hasMoreValues([value], count)).toBe(true);
});

test('counts a shared value each time, and ends in a cycle', () => {
  const shared = [1, 2, 3];
  expect(hasMoreValues([shared, shared], 7)).toBe(true);
  expect(hasMoreValues([shared, shared], 8)).toBe(false);
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(hasMoreValues(cycle, 1_000)).toBe(true);
});
