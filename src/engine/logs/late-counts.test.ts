import { expect, test } from '@jest/globals';
import { countAt, noCounts } from './late-counts.js';

const MINUTE = 60_000;

test('counts are bounded, whatever the time, and none is lost', () => {
  const late = noCounts();
  for (let minute = 0; minute < 10_000; minute += 1) countAt(late, minute * MINUTE);
  expect(late.counts.length).toBeLessThanOrEqual(64);
  expect(late.counts.reduce((sum, count) => sum + count, 0)).toBe(10_000);
});
