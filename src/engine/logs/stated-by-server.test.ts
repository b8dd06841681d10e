import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/incidents/observations.js';
import { rankFailingNodes } from '../first-failing.js';
import { findAnomalies } from '../find-anomalies.js';
import { LogTemplates } from './log-templates.js';
import { statedBy } from './stated-by-server.js';

const nodes = [
  { id: 'shop', name: 'shop', dependsOn: ['cart', 'stock'] },
  { id: 'cart', name: 'cart', dependsOn: ['main', 'sessions'] },
  { id: 'stock', name: 'stock', dependsOn: ['main'] },
  { id: 'main', name: 'main', kind: 'postgres', dependsOn: [] },
  { id: 'sessions', name: 'sessions', kind: 'redis', dependsOn: [] },
];
const FULL = 'save failed: FATAL: sorry, too many clients already';

test.each([
  ['cart', FULL, 'main'],
  ['cart', 'ERR max number of clients reached', 'sessions'],
  // The only node that it calls.
  ['stock', "OOM command not allowed when used memory > 'maxmemory'", 'main'],
  ['shop', FULL, undefined],
  ['main', 'FATAL: sorry, too many clients already', undefined],
  ['cart', 'pool timed out waiting for a connection', undefined],
])('what %s says in "%s" is stated by %s', (speaker, line, expected) => {
  expect(statedBy(speaker, line, nodes)).toBe(expected);
});

test('a database that has no room is suspected, and not its clients', () => {
  const templates = new LogTemplates(6 * MINUTE);
  for (const [node, minute] of [
    ['cart', 11],
    ['stock', 11.1],
  ] as const)
    templates.add({ node, body: FULL, severity: 'ERROR', at: minute * MINUTE, labels: {} });
  const seen = { ...observed({ templates: templates.all() }), nodes };
  const [first] = rankFailingNodes(seen, findAnomalies(seen));
  expect(first).toMatchObject({
    node: 'main',
    kinds: [['connection-pool-exhausted', expect.any(Number)]],
    for: expect.arrayContaining([expect.stringContaining('it refuses cart')]) as unknown,
  });
});
