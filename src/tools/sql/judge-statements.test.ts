import { expect, test } from '@jest/globals';
import { judgeStatements } from './judge-statements.js';
import { withoutValues } from './sql-values.js';

const ROW = {
  database: 'shop',
  query: 'select a from t where b = 4711',
  calls: 40,
  mean_ms: 2_000,
  total_s: 80,
  share: 0.8,
};
const judge = (more: object = {}, slowMs = 1_000) =>
  judgeStatements(
    [{ ...ROW, ...more }],
    { owns: (database) => database === 'shop', shown: withoutValues },
    slowMs,
  );

test('notes a slow statement that takes most of the time, without its values', () => {
  expect(judge().issues).toEqual([
    {
      severity: 'info',
      symptom: 'advisory',
      title: 'one statement takes 80 % of the time of all statements',
      detail:
        'select a from t where b = ?: 40 calls, 2000 ms each, 80 s in all since the statistics began.',
    },
  ]);
});

test.each([
  ['is quick', { mean_ms: 2 }],
  ['takes a part of the time', { share: 0.3 }],
  ['was called a few times', { calls: 3 }],
])('shows a statement that %s, and notes nothing', (_, more) => {
  const { issues, statements } = judge(more);
  expect([issues.length, statements.length]).toEqual([0, 1]);
});

test('leaves out statements of other databases, and shows at most five', () => {
  expect(judge({ database: 'other' })).toEqual({ statements: [], issues: [] });
  const rules = { owns: () => true, shown: withoutValues };
  expect(judgeStatements(Array(20).fill(ROW), rules, 1e9).statements).toHaveLength(5);
});
