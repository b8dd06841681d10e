import { expect, it } from '@jest/globals';
import { latenessOf } from './loop-delay.js';

const LATE = latenessOf([
  { at: 100, ms: 60 },
  { at: 200, ms: 80 },
  { at: 1_000, ms: 90 },
]);

it('has no lateness without a late timer', () => {
  expect(latenessOf([]).within(1_000)).toBe(0);
});

it('adds the delays that fit into a period', () => {
  expect([0, 20, 21, 700, 711, 811].map(LATE.within)).toEqual([90, 90, 140, 140, 170, 230]);
});
