import { expect, test } from '@jest/globals';
import { LogTemplates } from './log-templates.js';
import { passedSpell } from './spell.js';

const MINUTE = 60_000;
const NOW = 120 * MINUTE;

/** A node that writes a line each two minutes until a time, and has errors at some times. */
function spell(errorMinutes: number[], aliveUntil = 120) {
  const templates = new LogTemplates(30 * MINUTE);
  const add = (minute: number, severity: string, body: string) =>
    templates.add({ node: 'api', at: minute * MINUTE, severity, body, labels: {} });
  for (let minute = 0; minute < aliveUntil; minute += 2) add(minute, 'INFO', 'served a page');
  for (const minute of errorMinutes) add(minute, 'ERROR', 'nil is no wallet');
  const all = templates.all();
  const errors = all.filter(({ error }) => error);
  return passedSpell(errors, all, NOW);
}

test('errors that ended longer ago than they lasted are over', () => {
  expect(spell([60, 63, 66, 70])).toEqual({
    node: 'api',
    from: 60 * MINUTE,
    until: 70 * MINUTE,
    says: 'nil is no wallet',
  });
});

test.each([
  ['ended a short time ago', spell([105, 108, 112])],
  ['lasted longer than they are away', spell([50, 60, 70, 90])],
  ['came but once', spell([60])],
  ['were the last that the node wrote', spell([60, 63, 66, 70], 68)],
  ['never came', spell([])],
])('errors that %s are not over', (_, found) => expect(found).toBeUndefined());
