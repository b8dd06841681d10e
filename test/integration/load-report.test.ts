import { expect, test } from '@jest/globals';
import { describeLoad } from '../scale/load-report.js';

test('summarises samples and what was lost', () => {
  const sample = (most: number) => ({ most, sum: 2 * most, lagMs: most / 10, waitSeconds: 1 });
  const lines = describeLoad([100, 110, 120, 130, 140, 150].map(sample), {
    runs: { accepted: 3, lost: 1, took: [1_000, 2_000, 9_000] },
  });
  expect(lines).toEqual([
    'memory, MB, medians of the thirds: largest process 110, 130, 150; all 220, 260, 300; at most 150 in one',
    'event loop, p99 of the slowest process, ms: median 13, most 15',
    'oldest job that waits for a slot, s: median 1.0, most 1.0',
    'runs: 3 accepted, 1 lost; to the end, s: median 2.0, p99 9.0',
  ]);
});

test('says nothing of what was not measured', () => {
  expect(describeLoad([], {})).toHaveLength(3);
});
