import { expect, test } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../../test/support/incidents/observations.js';
import { LogTemplates } from '../logs/log-templates.js';
import { rankRootCauses } from '../rank-root-causes.js';
import type { Series } from '../../domain/telemetry/records.js';
import type { Observations } from '../observations.js';

const alert = (labels: Record<string, string>, summary = '') => ({
  labels: { service: 'shop', ...labels },
  annotations: { summary },
  startsAt: 12 * MINUTE,
});
const judge = (seen: Partial<Observations>) => rankRootCauses(observed(seen), '');
const calm = steppedSeries('shop', 'request_latency', 100, 100);

test.each([
  ['by its label', alert({ metric: 'request_latency' })],
  ['in words', alert({}, 'request_latency is high')],
])('an alert about a series that is as usual, which it names %s, is no failure', (_, given) => {
  const found = judge({ series: [calm], alerts: [given] });
  expect(found).toMatchObject({ healthy: true, causes: [] });
  expect(found.refutation).toMatch(/^request_latency of shop was 1\d\d, usually \d+ to \d+$/);
});

test('an alert that names no metric is about those that measure its subject', () => {
  const logs = new LogTemplates(6 * MINUTE);
  logs.add({ at: MINUTE, node: 'shop', severity: 'INFO', body: 'served', labels: {} });
  const rank = (series: Series, summary: string) =>
    judge({ series: [series], templates: logs.all(), alerts: [alert({}, summary)] }).healthy;
  const off = steppedSeries('shop', 'request_latency', 100, 130);
  expect(rank(calm, 'p99 above 250 ms')).toBe(true);
  expect(rank(off, 'p99 above 250 ms')).toBe(false);
  expect(rank(calm, 'more than 5 % of requests fail')).toBe(false);
});

test.each([
  ['and is over, is no failure', 13 * MINUTE, true],
  ['at the end, may be the beginning of one', 19.5 * MINUTE, false],
])('one point that is out, %s', (_, at, healthy) => {
  const values = calm.values.map((value, i) => (calm.times[i] === at ? 3 * value : value));
  const found = judge({
    series: [{ ...calm, values }],
    alerts: [alert({ metric: 'request_latency' })],
    frame: { ...observed().frame, baseline: { from: 0, to: 12 * MINUTE } },
  });
  expect(found.refutation !== undefined).toBe(healthy);
});

test.each([
  ['is off', { series: [steppedSeries('shop', 'request_latency', 100, 130)] }],
  ['is not recorded', { series: [steppedSeries('cart', 'request_latency', 100, 100)] }],
])('an alert counts if what it names %s', (_, seen) => {
  const found = judge({ ...seen, alerts: [alert({ metric: 'request_latency' })] });
  expect(found.healthy).toBe(false);
  expect(found.refutation).toBeUndefined();
});

test('an alert that names no metric is no failure if nothing of its node moved', () => {
  expect(judge({ series: [calm], alerts: [alert({}, 'shop is unhealthy')] })).toMatchObject({
    healthy: true,
    refutation: 'no series of shop left its usual band',
  });
});

test('an alert that names no metric counts if another node is off', () => {
  const off = steppedSeries('cart', 'process_cpu_usage', 0.2, 0.4);
  const alerts = [alert({}, 'shop is unhealthy')];
  expect(judge({ series: [calm, off], alerts }).healthy).toBe(false);
});

test('an alert about a node that was silent for a while says so', () => {
  const isHeard = (at: number) => at < 11 * MINUTE || at > 14 * MINUTE;
  const gap = {
    ...calm,
    times: calm.times.filter(isHeard),
    values: calm.values.filter((_, i) => isHeard(calm.times[i] ?? NaN)),
  };
  const { healthy, refutation } = judge({ series: [gap], alerts: [alert({}, 'no data')] });
  expect(healthy).toBe(true);
  expect(refutation).toBe('shop sent nothing from 00:10:30 until 00:14:30, and is back');
});

test('an alert about a node that sends nothing any more counts', () => {
  const isHeard = (at: number) => at < 13 * MINUTE;
  const ended = {
    ...calm,
    times: calm.times.filter(isHeard),
    values: calm.values.filter((_, i) => isHeard(calm.times[i] ?? NaN)),
  };
  expect(judge({ series: [ended], alerts: [alert({}, 'no data')] }).healthy).toBe(false);
});

test('an alert that names no metric counts where logs were recorded', () => {
  const logs = new LogTemplates(6 * MINUTE);
  logs.add({ at: MINUTE, node: 'shop', severity: 'INFO', body: 'served', labels: {} });
  const alerts = [alert({}, 'shop is unhealthy')];
  expect(judge({ series: [calm], alerts, templates: logs.all() }).healthy).toBe(false);
});
