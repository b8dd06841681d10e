import { expect, test } from '@jest/globals';
import { MONITORING_CHECKS } from './monitoring-checks.js';

test.each([
  ['rule_failures', { rule_group: '/etc/rules.yml;shop' }, 'broken-rule', '/etc/rules.yml'],
  ['rule_failures', { rule_group: 'shop' }, 'broken-rule', undefined],
  ['silent_watchdog', {}, 'broken-rule', undefined],
  ['dropped_notifications', {}, 'dropped-alerts', undefined],
  ['rejected_configuration', {}, 'refused-configuration', undefined],
  ['lost_samples', {}, undefined, undefined],
] as const)('%s %j names its steps and its part', (name, labels, steps, part) => {
  const check = MONITORING_CHECKS.checks.find((each) => each.name === name);
  const issue = check?.judge({ value: 1, labels });
  expect([issue?.kind, issue?.steps, issue?.part]).toEqual(['infrastructure', steps, part]);
});
