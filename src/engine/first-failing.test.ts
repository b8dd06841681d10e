import { expect, test } from '@jest/globals';
import {
  failedSpan,
  MINUTE,
  observed,
  steppedSeries,
} from '../../test/support/incidents/observations.js';
import { rankFailingNodes } from './first-failing.js';
import { LogTemplates } from './logs/log-templates.js';
import { findAnomalies } from './find-anomalies.js';
import type { Observations } from './observations.js';

const rank = (seen: Observations) => rankFailingNodes(seen, findAnomalies(seen));
const errors = (...lines: [node: string, minute: number, body: string][]) => {
  const templates = new LogTemplates(6 * MINUTE);
  for (const [node, minute, body] of lines)
    templates.add({ node, body, severity: 'ERROR', at: minute * MINUTE, labels: {} });
  return { templates: templates.all() };
};

test('puts the node first whose failed span has no failed span below', () => {
  const spans = [
    failedSpan('shop', undefined, 11 * MINUTE),
    failedSpan('cart', 'shop', 11 * MINUTE),
    failedSpan('db', 'cart', 11 * MINUTE),
  ];
  const [first, ...others] = rank(observed({ spans }));
  expect(first).toMatchObject({
    node: 'db',
    for: expect.arrayContaining(['GET db fails, and nothing below it does']) as unknown,
  });
  expect(others.map(({ node }) => node).toSorted()).toEqual(['cart', 'shop']);
});

test('blames the node that others name in their errors, and clears who says so', () => {
  const said = 'cannot reach db: connection refused';
  const ranked = rank(observed(errors(['cart', 11, said], ['shop', 11.1, said])));
  expect(ranked[0]?.node).toBe('db');
  expect(ranked.find(({ node }) => node === 'cart')?.against).toEqual([
    'its errors name db',
    'one of its dependencies became unhealthy as early',
  ]);
});

test('blames the upstream that a proxy could not reach, by its address, and not the proxy', () => {
  const said =
    'connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.1, request: "GET / HTTP/1.1", upstream: "http://10.0.0.5:8080/"';
  const seen = observed(errors(['shop', 11, said]));
  const nodes = seen.nodes.map((node) =>
    node.id === 'cart' ? { ...node, endpoint: 'http://10.0.0.5:8080/ready' } : node,
  );
  const [first, second] = rank({ ...seen, nodes });
  expect(first).toMatchObject({ node: 'cart', kinds: [['unreachable', expect.any(Number)]] });
  expect(second?.node).toBe('shop');
  expect(second?.against).toContain('its errors name cart');
});

test('takes a fault that a client reports as its store does for that of the store', () => {
  const seen = observed(
    errors(
      ['cart', 11, 'save failed: index is read-only / allow delete (api)'],
      ['cart', 11, 'save failed: 403 for item 17'],
      ['db', 11, 'flood stage disk watermark [95%] exceeded on [n1]'],
    ),
  );
  const ranked = rank(seen);
  expect(ranked.map(({ node }) => node)).toEqual(['db', 'cart']);
  expect(ranked[0]?.kinds).toEqual([['disk-full', expect.any(Number)]]);
});

test('blames the client that a server refuses, and not the server', () => {
  const said = 'CLIENT_LOGIN_ERROR clientId="cart" error="invalid_client_credentials"';
  const ranked = rank(observed(errors(['db', 11, said])));
  expect(ranked.map(({ node }) => node)).toEqual(['cart']);
  expect(ranked[0]).toMatchObject({
    kinds: [['auth', expect.any(Number)]],
    for: [`db refuses it: ${said}`, 'its callers report failures of it first, at 00:11:00'],
  });
});

test('explains the errors and the alert of a caller by a dependency that fails as early', () => {
  const alerts = [{ labels: { service: 'shop' }, annotations: {} }];
  const series = ['shop', 'cart', 'db'].map((id) => steppedSeries(id, 'error_ratio', 0.01, 0.5));
  const ranked = rank(observed({ alerts, series }));
  expect(ranked.map(({ node }) => node)).toEqual(['db', 'shop', 'cart']);
  expect(ranked[0]?.score).toBeGreaterThan(2 * (ranked[1]?.score ?? 0));
});

test('does not explain a resource that ran out by a dependency, nor anything by mere load', () => {
  const busy = [
    steppedSeries('shop', 'cpu_usage_percent', 20, 99),
    steppedSeries('db', 'requests_per_sec', 100, 900),
  ];
  expect(rank(observed({ series: busy }))[0]).toMatchObject({
    node: 'shop',
    kinds: [['cpu-saturated', expect.any(Number)]],
    against: [],
  });
});

test('takes a name in an error for blame only if the speaker does not serve it', () => {
  const said = 'rate limit exceeded for client shop';
  expect(rank(observed(errors(['cart', 11, said])))[0]?.node).toBe('cart');
});

test('passes over a series that moved for the better', () => {
  const series = [steppedSeries('db', 'node_filesystem_avail_bytes', 10, 500)];
  expect(rank(observed({ series }))).toEqual([]);
});

test('ranks the node first that became unhealthy first', () => {
  const seen = observed(errors(['cart', 11, 'it is broken'], ['shop', 15, 'it is broken as well']));
  expect(rank(seen).map(({ node, since }) => [node, since])).toEqual([
    ['cart', 11 * MINUTE],
    ['shop', 15 * MINUTE],
  ]);
});

test('counts a series that left its band, and the alert', () => {
  const alerts = [{ labels: { service: 'shop' }, annotations: {} }];
  const seen = observed({ alerts, series: [steppedSeries('cart', 'queue', 10, 500)] });
  const [cart, shop] = rank(seen);
  expect(cart?.for[0]).toBe('queue went from 10.1 to 505 at 00:10:30');
  expect(shop).toMatchObject({ node: 'shop', for: ['the alert is about it'] });
});

test('names no node where nothing happened', () => {
  expect(rank(observed())).toEqual([]);
});

test('gives the lag of a consumer group that is called as a node to that node', () => {
  const lag = (group: string) => {
    const series = steppedSeries('db', 'kafka_consumergroup_lag', 10, 90_000);
    return { ...series, labels: { ...series.labels, consumergroup: group } };
  };
  expect(rank(observed({ series: [lag('cart')] })).map(({ node }) => node)).toEqual(['cart']);
  expect(rank(observed({ series: [lag('others')] })).map(({ node }) => node)).toEqual(['db']);
});

test('takes a backlog alone for what failing readers leave', () => {
  const series = [steppedSeries('db', 'rabbitmq_queue_messages_ready', 10, 90_000)];
  const said = 'cannot decode message: unexpected token';
  expect(rank(observed({ series }))[0]?.node).toBe('db');
  const [first, second] = rank(observed({ series, ...errors(['cart', 10, said]) }));
  expect(first?.node).toBe('cart');
  expect(second).toMatchObject({
    node: 'db',
    against: ['it shows only a backlog or load, and one of its callers is unhealthy'],
  });
});

test('takes messages that come back for the doing of failing readers, which they do not explain', () => {
  const series = [
    steppedSeries('db', 'rabbitmq_queue_messages_ready', 10, 90_000),
    steppedSeries('db', 'rabbitmq_queue_redelivered_per_second', 0.1, 24),
  ];
  const said = 'message failed, requeued redelivered=True order_id=708812';
  const lines = Array.from({ length: 12 }, (_, i): [string, number, string] => [
    'cart',
    10 + i / 60,
    said,
  ]);
  const [first, second] = rank(observed({ series, ...errors(...lines) }));
  expect(first).toMatchObject({ node: 'cart', against: [] });
  expect(first?.kinds[0]?.[0]).toBe('bad-data');
  expect(second?.node).toBe('db');
});

test('blames the webhook whose call is quoted, and not the workloads that it holds up', () => {
  const object = (name: string) => ({
    type: 'Warning',
    reason: 'FailedCreate',
    lastTimestamp: new Date(11 * MINUTE),
    involvedObject: { kind: 'ReplicaSet', name },
    message:
      'Error creating: Internal error occurred: failed calling webhook "validate.example.io": failed to call webhook: Post "https://db.web.svc:443/validate?timeout=10s": x509: certificate has expired or is not yet valid',
  });
  const events = ['shop', 'cart'].map(
    (node) => [node, [{ kind: 'Event', name: node, object: object(node) }]] as const,
  );
  const seen = observed({ kubernetesByNode: new Map(events) });
  const apart = seen.nodes.map((node) => ({ ...node, dependsOn: [] }));
  const [first, ...others] = rank({ ...seen, nodes: apart });
  expect(first).toMatchObject({
    node: 'db',
    kinds: [['certificate-expired', expect.any(Number)]],
    for: [expect.stringMatching(/^a call to it fails for (shop|cart): /), expect.anything()],
  });
  expect(first?.score).toBeGreaterThan(2 * (others[0]?.score ?? 0));
});

test('counts callers once that say the same, beside what the node itself says', () => {
  const said = 'dial tcp: connect to db: connection refused';
  const [first] = rank(
    observed(
      errors(
        ['db', 10.9, 'fatal error: concurrent map writes'],
        ['cart', 11, said],
        ['shop', 11, said],
      ),
    ),
  );
  expect(first).toMatchObject({
    node: 'db',
    kinds: [['crash', expect.any(Number)], expect.anything()],
  });
});

test('takes a certificate that ended within the recording for a failure of its node', () => {
  const ended = steppedSeries('db', 'probe_ssl_earliest_cert_expiry', 1, 1);
  const frame = { start: 2e12, now: 2e12 + 20 * MINUTE, reportedAt: 2e12 + 12 * MINUTE };
  const series = [{ ...ended, values: ended.values.map(() => 2e9 + 600) }];
  const seen = observed({ frame, series });
  expect(findAnomalies(seen).showsFailure).toBe(true);
  expect(rank(seen)[0]).toMatchObject({
    node: 'db',
    kinds: [['certificate-expired', expect.any(Number)]],
  });
});

test('quotes a long line up to a word', () => {
  const line = `payment failed for the order: ${'declined '.repeat(14)}reference=4815162342 gave up`;
  const [first] = rank(observed(errors(['cart', 11, line])));
  const [says = ''] = first?.for ?? [];
  expect(says).toMatch(/ declined…$/);
});

test('names what a pod waits for, which no text of the cluster says', () => {
  const startedAt = new Date(0).toISOString();
  const object = {
    metadata: { name: 'cart-1', namespace: 'web' },
    spec: { initContainers: [{ name: 'wait', command: ['nc', 'stock.web.svc:80'] }] },
    status: {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'wait', state: { running: { startedAt } } }],
    },
  };
  const pod = { kind: 'Pod', name: 'cart-1', namespace: 'web', object };
  const other = { kind: 'Service', name: 'cart', namespace: 'web', object: {} };
  const [first] = rank(
    observed({ kubernetes: [pod, other], kubernetesByNode: new Map([['cart', [pod]]]) }),
  );
  expect(first).toMatchObject({ node: 'cart', kinds: [['wrong-address', expect.any(Number)]] });
  expect(first?.for[0]).toContain('waiting for stock.web.svc for 20 min');
});

test('blames the database that a consumer waits for, and not the consumer for its lag', () => {
  const series = [
    steppedSeries('cart', 'kafka_consumergroup_lag', 10, 90_000),
    steppedSeries('cart', 'consumer_backpressured_ms', 10, 90_000),
    steppedSeries('db', 'pg_locks_waiting_count', 10, 12),
  ];
  const alerts = [{ labels: { service: 'cart' }, annotations: {} }];
  expect(rank(observed({ series, alerts })).map(({ node }) => node)).toEqual(['db', 'cart']);
});

test('puts a resource at its limit before lines of a node without a path to the alert', () => {
  const nodes = [...observed().nodes, { id: 'pdf', name: 'PDF', dependsOn: [] }];
  const alerts = [{ labels: { service: 'shop' }, annotations: { summary: 'shop is slow' } }];
  const series = [
    steppedSeries('db', 'node_cpu_utilization', 0.2, 0.99),
    steppedSeries('shop', 'http_request_duration_p95', 0.1, 2),
  ];
  const background = errors(
    ['pdf', 7, 'unexpected end of input from client 112'],
    ['pdf', 8, 'cannot find a font, the next one is taken'],
  );
  const ranked = rank(observed({ nodes, alerts, series, ...background }));
  expect(ranked[0]?.node).toBe('db');
});

test.each(['widgets', 'http_requests_per_second'])(
  'dates no failure by %s, which shows none',
  (name) => {
    const early = steppedSeries('shop', name, 10, 30);
    const late = steppedSeries('shop', 'process_cpu_usage', 0.1, 0.9);
    const shifted = { ...late, times: late.times.map((at) => at + 2 * MINUTE) };
    const [first] = rank(observed({ series: [early, shifted] }));
    expect(first?.since).toBeGreaterThan(11 * MINUTE);
  },
);

test('explains a store that is asked more by a cache that misses', () => {
  const nodes = [
    { id: 'shop', name: 'Shop', dependsOn: ['cache', 'db'] },
    { id: 'cache', name: 'Cache', dependsOn: [] },
    { id: 'db', name: 'DB', dependsOn: [] },
  ];
  const store = [
    steppedSeries('db', 'requests_per_second', 40, 300),
    steppedSeries('db', 'cpu_usage', 0.05, 0.38),
    steppedSeries('db', 'response_time', 3, 11),
  ];
  const misses = steppedSeries('cache', 'hit_ratio', 0.9, 0.04);
  expect(rank(observed({ nodes, series: store }))[0]?.node).toBe('db');
  const [first, second] = rank(observed({ nodes, series: [...store, misses] }));
  expect(first?.node).toBe('cache');
  expect(second?.against).toContain('it gets the requests that cache misses');
});
