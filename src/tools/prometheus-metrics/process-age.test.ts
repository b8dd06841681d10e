import { expect, it } from '@jest/globals';
import { judgeProcessAge, PROCESS_START } from './process-age.js';

const NOW = 1_800_000_000_000;
const start = (secondsAgo: number, change = 0) => [
  {
    sample: { key: 'x', name: PROCESS_START, labels: {}, value: NOW / 1_000 - secondsAgo },
    change,
  },
];
const judge = (changes: ReturnType<typeof start>) => judgeProcessAge(changes as never, 1_000, NOW);

it('finds a process that was started again between two reads', () => {
  expect(judge(start(0.4, 12))).toMatchObject({
    ageSeconds: 0.4,
    issues: [{ severity: 'warning', kind: 'crash' }],
  });
});

it('takes an older process for another instance behind the same address', () => {
  expect(judge(start(300, 12))).toEqual({ ageSeconds: 300, issues: [] });
});

it('finds nothing wrong with one that stays, without a start, whose clock drifts or is ahead', () => {
  expect(judge(start(3))).toEqual({ ageSeconds: 3, issues: [] });
  expect(judge(start(300, 0.04)).issues).toEqual([]);
  expect(judge(start(300, -0.04)).issues).toEqual([]);
  expect(judge([])).toEqual({ issues: [] });
  expect(judge(start(NaN))).toEqual({ issues: [] });
  expect(judge(start(-50)).ageSeconds).toBe(0);
});
