import { expect, it } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../test/support/incidents/observations.js';
import type { Observations } from './observations.js';
import { rankRootCauses } from './rank-root-causes.js';

const alerts = [
  {
    labels: { alertname: 'CartErrors', service: 'cart' },
    annotations: { summary: 'it answers 500' },
    startsAt: 12 * MINUTE,
  },
];
const quiet = steppedSeries('shop', 'http_requests_per_second', 100, 100);
const rank = (more: Partial<Observations>) => rankRootCauses(observed({ alerts, ...more }), '');

it('an alert alone makes no node a cause, and missing records are no evidence against one', () => {
  const expected = {
    healthy: false,
    causes: [
      {
        node: 'cart',
        alertOnly: true,
        against: [],
        for: ['the alert is about it'],
        title: 'an alert is about it, and nothing that was recorded shows why',
      },
    ],
    rejected: [],
  };
  expect(rank({ series: [quiet] })).toMatchObject(expected);
  const frame = { start: 0, now: 20 * MINUTE, reportedAt: 12 * MINUTE };
  expect(rank({ series: [quiet], frame })).toMatchObject(expected);
});

it('an unhealthy node is the cause, and the alerting node without data is not ruled out', () => {
  const { causes, rejected } = rank({ series: [steppedSeries('db', 'disk_used_percent', 40, 99)] });
  expect(causes[0]).toMatchObject({ node: 'db' });
  expect(causes[0]?.alertOnly).toBeUndefined();
  expect(rejected[0]).toMatchObject({
    node: 'cart',
    reasons: expect.arrayContaining([
      'nothing was recorded about it, so it is not ruled out',
    ]) as unknown,
  });
});

it('noise of a metric is no cause, even if it is all that was recorded', () => {
  const slightly = steppedSeries('shop', 'http_requests_per_second', 100, 102);
  expect(rankRootCauses(observed({ series: [slightly] }), '')).toMatchObject({
    healthy: true,
    causes: [],
  });
});
