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
  expect([0, 20, 21, 700, 711, 811].map((ms) => LATE.within(ms))).toEqual([
    90, 90, 140, 140, 170, 230,
  ]);
});

it('adds only as many delays as a try has steps, the greatest', () => {
  const busy = latenessOf(Array.from({ length: 100 }, (_, i) => ({ at: 50 * i, ms: 30 })));
  expect(busy.within(2_000)).toBe(150);
  expect(busy.within(Infinity, 3)).toBe(450);
  expect(busy.within(40)).toBe(60);
});
