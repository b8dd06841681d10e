import { expect, test } from '@jest/globals';
import type { Anomalies } from '../observations.js';
import { lockHolder } from './lock-holder.js';
import { LogTemplates } from './log-templates.js';

const logged = (body: string): Pick<Anomalies, 'appeared'> => {
  const templates = new LogTemplates(0);
  templates.add({ node: 'db', body, severity: '', at: 1, labels: {} });
  return { appeared: templates.all() };
};
const DETAIL = 'DETAIL:  Process holding the lock: 977. Wait queue: 21, 22.';
const sessions = (output: string) => ({
  recordings: [{ tool: 'psql', args: {}, status: 'success', output }],
});

test('names the session that the database says holds the lock, and what it does', () => {
  const list = '  pid | state  | query\n------+--------+------\n  977 | active | UPDATE orders\n';
  expect(lockHolder(sessions(list), logged(DETAIL))).toBe(
    'session 977 of db holds the lock: 977 | active | UPDATE orders',
  );
  expect(lockHolder({ recordings: [] }, logged(DETAIL))).toBe('session 977 of db holds the lock');
});

test('says nothing where no database does', () => {
  expect(lockHolder({ recordings: [] }, logged('deadlock detected'))).toBeUndefined();
});
