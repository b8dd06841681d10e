import { expect, test } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../test/support/incidents/observations.js';
import { kindOfFailure } from './kind-of-failure.js';
import { LogTemplates } from './logs/log-templates.js';
import type { Observations } from './observations.js';
import { rankRootCauses } from './rank-root-causes.js';
import type { TextSymptom } from './symptoms.js';

test.each([
  ['memory-limit-lowered', { oom: 0.7 }, 'out-of-memory'],
  ['memory-limit-lowered', { refused: 0.7 }, 'out-of-memory'],
  ['network-policy-changed', { timeout: 0.7 }, 'network-policy'],
  ['unbounded-read', { latency: 0.8 }, 'slow-query'],
  ['unbounded-read', { latency: 0.8, oom: 0.7 }, 'out-of-memory'],
  ['schema-change', { schema: 0.5 }, 'schema-mismatch'],
  ['schema-change', { schema: 0.4, lock: 0.6 }, 'lock'],
  ['contract-renamed', { deser: 0.7 }, 'schema-mismatch'],
  ['probe-changed', { restart: 0.7, timeout: 0.9 }, 'crash-loop'],
  ['nil-guard-removed', { crash: 0.7 }, 'crash'],
  ['memory-limit-lowered', { cache: 0.9, oom: 0.5 }, 'cache'],
  ['limit-lowered', { pool: 0.9, throttle: 0.4 }, 'connection-pool-exhausted'],
  ['limit-lowered', { throttle: 0.9, pool: 0.4 }, 'rate-limited'],
  ['cpu-limit-lowered', { throttle: 0.6, latency: 0.9 }, 'cpu-throttled'],
] as const)('%s shows as %j: %s', (mechanism, symptoms, kind) => {
  const shown = new Map(Object.entries(symptoms)) as Parameters<typeof kindOfFailure>[2];
  expect(kindOfFailure(mechanism, undefined, shown)).toBe(kind);
});

test('a missing check fails a request, and not the process, where the runtime says so', () => {
  const shown = new Map([['crash', 0.7] as const]);
  expect(kindOfFailure('nil-guard-removed', undefined, shown, [['exception', 0.6]])).toBe(
    'exception',
  );
});

test('a node that says in unknown words what is wrong has no kind from the log of an unrelated one', () => {
  const templates = new LogTemplates(6 * MINUTE);
  const say = (node: string, minute: number, body: string) =>
    templates.add({ node, body, severity: 'ERROR', at: minute * MINUTE, labels: {} });
  say('shop', 10.6, 'cannot finish the job: gizmo went away');
  say('shop', 11.2, 'cannot finish the next job either');
  say('edge', 12, 'permission for the page was refused: forbidden');
  const nodes = ['shop', 'edge'].map((id) => ({ id, name: id, dependsOn: [] }));
  const alerts = [{ labels: { service: 'shop' }, annotations: { summary: 'shop fails' } }];
  const seen = observed({ nodes, alerts, templates: templates.all() });
  const [first] = rankRootCauses(seen, '').causes;
  expect(first).toMatchObject({ node: 'shop' });
  expect(first?.kind).not.toBe('auth');
});

const slowCart = {
  nodes: [
    { id: 'shop', name: 'Shop', dependsOn: ['cart'] },
    { id: 'cart', name: 'Cart', dependsOn: ['store'] },
    { id: 'store', name: 'Store', dependsOn: [] },
  ],
  alerts: [
    {
      labels: { service: 'cart', metric: 'http_p50' },
      annotations: { summary: 'cart is unhealthy' },
    },
  ],
  series: [steppedSeries('cart', 'request_duration_ms', 10, 14)],
};
const logged = new LogTemplates(6 * MINUTE);
logged.add({ at: MINUTE, node: 'cart', severity: 'INFO', body: 'served', labels: {} });
const kindOfCart = (more: Partial<Observations>) => {
  const [first] = rankRootCauses(
    observed({ ...slowCart, templates: logged.all(), ...more }),
    '',
  ).causes;
  expect(first?.node).toBe('cart');
  return first?.kind;
};

test('the names of series of another node do not tell what fails', () => {
  const other = steppedSeries('shop', 'cache_widgets', 100, 113);
  expect(kindOfCart({ series: [...slowCart.series, other] })).toBe('latency');
});

test('what a slow call is for does not tell what fails', () => {
  const call = (start: number, durationMs: number) => ({
    traceId: String(start),
    spanId: 'a',
    node: 'cart',
    name: 'cache get',
    start,
    durationMs,
    attributes: { 'db.system': 'memcached' },
  });
  const spans = [call(MINUTE, 2), call(15 * MINUTE, 40)];
  expect(kindOfCart({ spans })).toBe('latency');
});

test('queries one by one are slow, and refused only where their number is limited', () => {
  const kindOf = (...symptoms: [TextSymptom, number][]) =>
    kindOfFailure('batching-removed', undefined, new Map(symptoms));
  expect(kindOf(['queries', 0.9])).toBe('slow-query');
  expect(kindOf(['queries', 0.5], ['throttle', 0.9])).toBe('rate-limited');
});
