import { expect, test } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../../test/support/incidents/observations.js';
import type { Change } from '../../domain/telemetry/records.js';
import { LogTemplates } from '../logs/log-templates.js';
import { rankRootCauses } from '../rank-root-causes.js';
import { usualDurations } from './usual-durations.js';

test('the usual duration of a node is that of its slow requests, in seconds', () => {
  const series = [
    steppedSeries('cart', 'http_p99_ms', 200, 9_000),
    steppedSeries('db', 'query_duration_p95_seconds', 1, 9),
    steppedSeries('shop', 'requests_per_second', 50, 50),
  ];
  const span = { traceId: 't', spanId: 's', node: 'tax', name: 'GET', attributes: {} };
  const spans = [{ ...span, start: MINUTE, durationMs: 400 }];
  const usual = usualDurations({ series, spans }, 10 * MINUTE);
  expect([...usual.keys()]).toEqual(['cart', 'db', 'tax']);
  expect(usual.get('cart')).toBeCloseTo(0.204);
  expect(usual.get('db')).toBeCloseTo(1.02);
  expect(usual.get('tax')).toBe(0.4);
});

const lowered: Change = {
  kind: 'config',
  at: 10 * MINUTE,
  id: 'cfg-2',
  node: 'cart',
  message: 'shorter timeout',
  files: ['cart/http.yaml'],
  diff: '-taxTimeout: 8s\n+taxTimeout: 4s',
};

function changeOf(usualMs: number) {
  const templates = new LogTemplates(6 * MINUTE);
  const body = 'tax timed out after 4000ms';
  for (let i = 0; i < 8; i++)
    templates.add({
      node: 'cart',
      body,
      severity: 'ERROR',
      at: (10.6 + i / 8) * MINUTE,
      labels: {},
    });
  const alerts = [{ labels: { service: 'cart' }, annotations: { summary: 'cart answers 504' } }];
  const series = [steppedSeries('cart', 'http_p99_ms', usualMs, 4_100)];
  const seen = observed({ alerts, series, templates: templates.all(), changes: [lowered] });
  const { causes, changes } = rankRootCauses(seen, '');
  return { change: causes[0]?.change, against: changes[0]?.against };
}

test('a lowered timeout is the cause where requests usually take nearly as long', () => {
  expect(changeOf(3_600).change).toBe('cfg-2');
});

test('a lowered timeout only reports what became slow where requests usually are quick', () => {
  expect(changeOf(90)).toEqual({
    change: undefined,
    against: [
      'requests usually take 0.0918 s at most: it ends only those that are slow for another reason',
    ],
  });
});
