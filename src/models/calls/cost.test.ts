import { expect, it } from '@jest/globals';
import { costOf } from './cost.js';

it('prices cached tokens separately from other tokens', () => {
  const usage = {
    input: 1_000_000,
    output: 100_000,
    cacheRead: 400_000,
    cacheWrite: 100_000,
    estimated: false,
  };
  expect(costOf(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBe(
    1.5 + 0.12 + 0.375 + 1.5,
  );
  expect(costOf(usage, { input: 3, output: 15 })).toBe(4.5);
  expect(
    costOf(
      { ...usage, input: 7, output: 0, cacheRead: 0, cacheWrite: 0 },
      { input: 0.15, output: 1 },
    ),
  ).toBe(0.00000105);
});
