import { expect, test } from '@jest/globals';
import { judgeLocks } from './judge-sessions.js';
import type { Owns } from './sql-login.js';

const rows = (waited: number) => [
  { pid: 1, blockers: [], state: 'idle in transaction', database: 'crm' },
  { pid: 2, blockers: [1], state: 'active', waited_s: waited, database: 'crm' },
  { pid: 3, blockers: [1], state: 'active', waited_s: 1, database: 'crm' },
];
const judged = (waited: number, owns: Owns) =>
  judgeLocks(rows(waited), { owns, shown: (query) => query });

test('sessions of a database that is no node are noted, and no fault of this one', () => {
  const { issues, chain } = judged(40, (_, what) => what === 'stray');
  expect(chain).toEqual([]);
  expect(issues).toMatchObject([
    {
      severity: 'info',
      symptom: 'advisory',
      title: 'sessions of the database crm, which is no node, wait for locks',
      detail: expect.stringContaining('2 wait, for 40 s at most') as unknown,
    },
  ]);
});

test('sessions that have just begun to wait, or belong to another node, are not noted', () => {
  expect(judged(4, (_, what) => what === 'stray').issues).toEqual([]);
  expect(judged(40, () => false).issues).toEqual([]);
});

test('sessions of this node are a finding, and are not noted again', () => {
  expect(judged(40, () => true).issues).toMatchObject([{ severity: 'critical', kind: 'lock' }]);
});

test('a session whose activity is not tracked has no state and no age', () => {
  const [blocker, ...waiting] = rows(40);
  const { issues } = judgeLocks([{ ...blocker, state: 'disabled' }, ...waiting], {
    owns: () => true,
    shown: (query) => query,
  });
  expect(issues).toMatchObject([
    {
      title: '2 sessions wait for locks of session 1',
      detail: expect.stringContaining('is not recorded (track_activities is off)') as unknown,
    },
  ]);
});
