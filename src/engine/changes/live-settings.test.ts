import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/incidents/observations.js';
import type { Change, Series } from '../../domain/telemetry/records.js';
import { LogTemplates } from '../logs/log-templates.js';
import { findAnomalies } from '../find-anomalies.js';
import { rankRootCauses } from '../rank-root-causes.js';

const times = Array.from({ length: 40 }, (_, i) => i * (MINUTE / 2));
const stepped = (name: string, usual: number, now: number, ripple = 0): Series => ({
  name,
  node: 'cart',
  labels: {},
  times,
  values: times.map((at, i) => (at > 10 * MINUTE ? now : usual) * (1 + (i % 3) * ripple)),
});
const lowered: Change = {
  kind: 'config',
  at: 9 * MINUTE,
  id: 'cfg-1',
  node: 'cart',
  message: 'smaller pool',
  files: ['cart/pool.yaml'],
  diff: '-maxPoolSize: 40\n+maxPoolSize: 8',
};
const limit = stepped('db_pool_max', 40, 8);
const alerts = [{ labels: { service: 'cart' }, annotations: { summary: 'cart answers 500' } }];

function ranked(error: string, ...series: Series[]) {
  const templates = new LogTemplates(6 * MINUTE);
  for (let i = 0; i < 8; i++)
    templates.add({
      node: 'cart',
      body: error,
      severity: 'ERROR',
      at: (10.6 + i / 8) * MINUTE,
      labels: {},
    });
  const seen = observed({ alerts, templates: templates.all(), series, changes: [lowered] });
  return rankRootCauses(seen, '');
}

test('a series that shows the value of a changed setting is no failure', () => {
  const seen = observed({ series: [limit], changes: [lowered] });
  expect(findAnomalies(seen)).toMatchObject({ moved: [], settings: [{ name: 'db_pool_max' }] });
  expect(findAnomalies(observed({ series: [limit] })).moved).toHaveLength(1);
});

test('what is measured is a failure, also where it reaches the new value of a setting', () => {
  const seen = observed({ series: [stepped('db_pool_used', 40, 8, 0.02)], changes: [lowered] });
  expect(findAnomalies(seen)).toMatchObject({ moved: [{ name: 'db_pool_used' }], settings: [] });
});

test('a limit that is not reached did not bring errors about', () => {
  const { causes, changes } = ranked(
    'no free connection in the pool',
    limit,
    stepped('db_pool_active', 2, 2, 0.02),
  );
  expect(causes[0]?.change).toBeUndefined();
  expect(changes[0]?.against).toContain('its new limit is not reached: 26 % of it is used');
});

test('a limit that is reached brings a lack of connections about', () => {
  const { causes } = ranked(
    'no free connection in the pool',
    limit,
    stepped('db_pool_active', 8, 8),
  );
  expect(causes[0]).toMatchObject({ node: 'cart', change: 'cfg-1' });
  expect(causes[0]?.for).toContain('db_pool_max went from 40 to 8, as its diff has it');
});

test('that a setting has its new value does not show that it brings another failure about', () => {
  expect(ranked('cannot parse the answer of tax', limit).causes[0]?.change).toBeUndefined();
});
