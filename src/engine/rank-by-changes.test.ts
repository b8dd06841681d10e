import { expect, test } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../test/support/incidents/observations.js';
import { alerts, errors, first, node } from '../../test/support/ranked-shop.js';
import { rankRootCauses } from './rank-root-causes.js';

test('a cause outside that a node reports says nothing of one that it neither calls nor serves', () => {
  const nodes = [
    node('shop', 'pay', 'find'),
    node('pay'),
    node('find', 'elastic'),
    node('elastic'),
  ];
  const templates = errors(
    ['pay', 11, 'answered 401: the api key was revoked'],
    ['elastic', 10.6, 'CircuitBreakingException: [parent] Data too large'],
    ['find', 11, 'elastic: circuit_breaking_exception: Data too large'],
  );
  const series = [steppedSeries('elastic', 'jvm_memory_used_percent', 40, 98)];
  expect(first({ nodes, alerts, templates, series })).toMatchObject({
    node: 'elastic',
    kind: 'memory',
  });
});

test('bad data is at the node that cannot read it', () => {
  const nodes = [node('shop', 'queue'), node('queue'), node('worker', 'queue')];
  const templates = errors(['worker', 10.6, 'poison message: cannot decode record at offset 8812']);
  const series = [steppedSeries('queue', 'queue_depth', 10, 900)];
  expect(first({ nodes, templates, series, alerts: [] })).toMatchObject({
    node: 'worker',
    kind: 'bad-data',
  });
});

test('a headline quotes what the node says rather than the name of a series', () => {
  const nodes = [node('shop', 'maps'), node('maps')];
  const templates = errors([
    'maps',
    10.6,
    'geo.example answered 429: daily request quota exceeded',
  ]);
  const series = [steppedSeries('maps', 'provider_http_429_per_minute', 1, 900)];
  const found = first({ nodes, alerts, templates, series });
  expect(found).toMatchObject({
    node: 'maps',
    kind: 'rate-limited',
    steps: 'quota-of-provider',
  });
  expect(found?.title).toContain('daily request quota exceeded');
});

const calm = errors(['shop', 1, 'a request is refused']);
const HOST = [node('shop', 'host-7'), node('etl', 'host-7'), node('host-7')];
const PRESSURE = [
  steppedSeries('host-7', 'node_pressure_cpu_waiting_ratio', 0.02, 0.6),
  steppedSeries('shop', 'http_server_duration_p95', 0.1, 2),
];

test('where a machine has no processor time left, the node that took it is the cause', () => {
  const series = [...PRESSURE, steppedSeries('etl', 'container_cpu_usage_cores', 0.3, 14)];
  const found = first({ nodes: HOST, alerts, series, templates: calm });
  expect(found).toMatchObject({ node: 'etl', kind: 'noisy-neighbour' });
  expect(found?.for[0]).toBe('neighbour etl takes the processor of host-7, which others share');
});

test('where no other node took it, the machine is the cause', () => {
  expect(first({ nodes: HOST, alerts, series: PRESSURE, templates: calm })).toMatchObject({
    node: 'host-7',
    kind: 'infrastructure',
  });
});

test('a change without a diff is suspect at a node that others name in their errors', () => {
  const flag = {
    kind: 'flag' as const,
    at: 10.5 * MINUTE,
    node: 'cart',
    flag: 'stacked',
    to: 'on',
  };
  const templates = errors(['shop', 11, 'order rejected: total -3 is below zero, from cart']);
  expect(first({ alerts, templates, changes: [flag] })).toMatchObject({
    node: 'cart',
    kind: 'wrong-result',
    change: 'stacked',
  });
});

test('a title quotes what shows the failure that it names, and the node before others', () => {
  const nodes = [node('shop', 'pay'), node('pay')];
  const templates = errors(
    ['pay', 10.6, 'thread pool exec-8080 queue full, rejecting the request'],
    ['shop', 10.6, 'pay rejected it: RejectedExecutionException'],
  );
  const series = [steppedSeries('pay', 'http_p99_ms', 20, 900)];
  const found = first({ nodes, alerts, templates, series });
  expect(found).toMatchObject({ node: 'pay', kind: 'capacity' });
  expect(found?.title).toMatch(/^capacity: new error since 00:10:36: thread pool exec-8080/);
  expect(found?.for.at(0)).toMatch(/^new error since/);
});

test('a title quotes the log of the node, and not the alert, on a cause outside', () => {
  const alert = { ...alerts[0], annotations: { summary: 'certificate of pay expired?' } };
  const nodes = [node('shop', 'pay'), node('pay')];
  const words = 'x509: certificate has expired, cannot serve';
  const templates = errors(['shop', 11, 'tls: certificate of pay expired'], ['pay', 10.6, words]);
  const found = first({ nodes, alerts: [{ labels: {}, ...alert }], templates });
  expect(found).toMatchObject({ node: 'pay', kind: 'certificate-expired' });
  expect(found?.title).toBe(`certificate expired, external cause: ${words}`);
});

test('an exception of a node that is started again and again ended its process', () => {
  const series = [steppedSeries('shop', 'kube_pod_container_status_restarts', 1, 9)];
  const templates = errors(['shop', 10.6, "TypeError: cannot read properties of 'total'"]);
  expect(first({ alerts, templates })).toMatchObject({ node: 'shop', kind: 'exception' });
  expect(first({ alerts, templates, series })).toMatchObject({ node: 'shop', kind: 'crash' });
});

test.each([
  ['TLS alert received from pay: certificate_expired (45), closing', 'shop'],
  ['remote error: tls: expired certificate of pay', 'shop'],
  ['PKIX path validation failed for pay: validity check failed', 'pay'],
])('"%s" in the log of the shop is about the certificate of %s', (line, holder) => {
  const nodes = [node('shop', 'pay'), node('pay')];
  const found = first({ nodes, alerts, templates: errors(['shop', 11, line]) });
  expect(found).toMatchObject({ node: holder, kind: 'certificate-expired' });
});

test('a certificate that ended within the recording is the one that is refused, whatever lines name', () => {
  const start = 2e12;
  const frame = { start, now: start + 20 * MINUTE, reportedAt: start + 12 * MINUTE };
  const ended = steppedSeries('db', 'x509_cert_not_after', 1, 1);
  const series = [{ ...ended, values: ended.values.map(() => start / 1_000 + 630) }];
  const templates = errors(['shop', start / MINUTE + 11, 'certificate of pay expired']);
  const nodes = [node('shop', 'pay', 'db'), node('pay'), node('db')];
  expect(first({ frame, nodes, alerts, series, templates })).toMatchObject({
    node: 'db',
    kind: 'certificate-expired',
  });
});

test('a node that others name, and that shows nothing itself, has no failure of its own', () => {
  const nodes = [node('shop', 'pay'), node('pay', 'bank'), node('bank')];
  const templates = errors(
    ['shop', 11, 'pay answered 502'],
    ['pay', 10.6, 'dial tcp bank:443: connect: cannot assign requested address'],
  );
  const series = [
    steppedSeries('bank', 'clients_connected', 3, 600),
    steppedSeries('pay', 'node_sockstat_TCP_tw', 90, 28_000),
  ];
  const { causes } = rankRootCauses(observed({ nodes, alerts, templates, series }), '');
  const onsetOf = (id: string) => causes.find((cause) => cause.node === id)?.onset;
  expect(causes[0]).toMatchObject({ node: 'pay', kind: 'capacity' });
  expect(causes.map((cause) => cause.node)).toContain('bank');
  expect(onsetOf('bank')).toBeUndefined();
  expect(onsetOf('shop')).toBeDefined();
});

const RENAMED_KEY =
  '-\tkey := fmt.Sprintf("row:%s", region)\n+\tkey := fmt.Sprintf("row:%s:%s", region, session)';

test('the node of the change that explains the failure comes before a victim with more signs', () => {
  const nodes = [node('shop', 'pay'), node('pay', 'db'), node('db')];
  const change = { kind: 'config' as const, at: 10 * MINUTE, id: 'k1', node: 'pay' };
  const series = [
    steppedSeries('pay', 'cache_misses_total', 5, 190),
    steppedSeries('db', 'mysql_cpu_percent', 30, 99),
    steppedSeries('db', 'mysql_threads_running', 5, 190),
    steppedSeries('db', 'mysql_query_p95_ms', 5, 990),
    steppedSeries('db', 'disk_io_wait_ratio', 0.02, 0.9),
  ];
  const templates = errors(
    ['db', 10.6, 'too many connections'],
    ['shop', 10.8, 'query timed out: db'],
    ['pay', 10.8, 'db: deadline exceeded'],
  );
  const atDb = [{ labels: { service: 'db' }, annotations: { summary: 'db is busy' } }];
  const changes = [{ ...change, files: ['pay/rows.go'], diff: RENAMED_KEY }];
  const { causes } = rankRootCauses(
    observed({ nodes, alerts: atDb, series, templates, changes }),
    '',
  );
  expect(causes.slice(0, 2).map((cause) => [cause.node, cause.change])).toEqual([
    ['pay', 'k1'],
    ['db', undefined],
  ]);
});

test('a literal of a diff in new errors outweighs a change that came just in time', () => {
  const moved = {
    kind: 'config' as const,
    at: -90 * MINUTE,
    id: 'port',
    node: 'shop',
    diff: '-relay: smtp.mail.svc:2525\n+relay: smtp.mail.svc:2552',
  };
  const drain = { kind: 'infra' as const, at: 11 * MINUTE, id: 'drain', node: 'shop' };
  const templates = errors(['shop', 11, 'dial tcp smtp.mail.svc:2552: connection refused']);
  expect(first({ alerts, templates, changes: [moved, drain] })?.change).toBe('port');
  expect(first({ alerts, templates, changes: [drain] })?.change).toBe('drain');
});

test('a title indicates an external cause only if the failure that it names follows from it', () => {
  const nodes = [node('shop', 'db'), node('db')];
  const series = [
    steppedSeries('shop', 'http_requests_total', 20, 140),
    steppedSeries('db', 'up', 1, 0),
  ];
  const found = first({ nodes, alerts, series });
  expect(found).toMatchObject({ node: 'db', kind: 'unreachable' });
  expect(found?.for.join()).not.toContain('before any failure');
});

test('the first suspect shows a failure from its own first sign on, and not from that of another node', () => {
  const rows = steppedSeries('shop', 'gc_pause_seconds', 1, 1);
  const early = rows.values.map((value, i) => ((rows.times[i] ?? 0) > 8 * MINUTE ? 3 : value));
  const series = [
    steppedSeries('db', 'node_cpu_utilization', 0.2, 0.99),
    { ...rows, values: early },
  ];
  const frame = { start: 0, now: 20 * MINUTE, reportedAt: 12 * MINUTE };
  const templates = errors(['db', 10.6, 'statement timeout'], ['db', 10.8, 'deadlock detected']);
  expect(first({ frame, alerts, templates, series })).toMatchObject({
    node: 'db',
    onset: 10.5 * MINUTE,
  });
});

test('what a node without a path to the alert says is no cause outside, and makes no change of it suspect', () => {
  const nodes = [node('shop', 'db'), node('db'), node('pdf')];
  const changes = [
    { kind: 'commit' as const, id: 'c1', at: 9 * MINUTE, files: ['pdf/a.py'], diff: '-a()\n+b()' },
    { kind: 'deploy' as const, node: 'pdf', commit: 'c1', at: 10 * MINUTE },
  ];
  const templates = errors(['pdf', 10.6, 'poison message: cannot decode record at offset 8812']);
  const series = [
    steppedSeries('db', 'node_cpu_utilization', 0.2, 0.99),
    steppedSeries('shop', 'http_server_duration_p95', 0.1, 2),
  ];
  const ranking = rankRootCauses(observed({ nodes, alerts, templates, series, changes }), '');
  expect(ranking.causes[0]).toMatchObject({ node: 'db', kind: 'cpu-saturated' });
  expect(ranking.changes[0]?.against).toContain('it changes pdf, which shows no symptom');
});
