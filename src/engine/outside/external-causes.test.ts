import { expect, test } from '@jest/globals';
import { externalCauses } from './external-causes.js';
import type { MovedSeries, Observations, Anomalies } from '../observations.js';

const MINUTE = 60_000;
const moved = (name: string, labels: Record<string, string>, from: number, to: number) =>
  ({
    name,
    node: 'shop',
    labels,
    times: [],
    values: [],
    onset: {
      at: 40 * MINUTE,
      from,
      to,
      deviations: 50,
      band: 1,
      ramp: false,
      direction: to > from ? (1 as const) : (-1 as const),
    },
  }) satisfies MovedSeries;

function kindsOf(...series: MovedSeries[]): string[] {
  const seen = {
    nodes: [{ id: 'shop', name: 'shop', dependsOn: [] }],
    series,
    status: [],
  } as unknown as Observations;
  const anomalies = { moved: series, appeared: [], failedSpans: [] } as unknown as Anomalies;
  return externalCauses(seen, anomalies, []).map(({ kind }) => kind);
}

test('requests that grow before anything else are a surge', () => {
  expect(kindsOf(moved('http_requests_total', { code: '200' }, 20, 140))).toEqual(['surge']);
});

test('requests that grow after an error are repeated attempts, and no surge', () => {
  const requests = moved('http_requests_total', { code: '200' }, 20, 140);
  const failing = moved('http_errors_total', {}, 0.1, 9);
  const earlier = { ...failing, onset: { ...failing.onset, at: 35 * MINUTE } };
  expect(kindsOf(requests, earlier)).toEqual([]);
  expect(kindsOf(requests, failing)).toEqual(['surge']);
});

test('a name of a metric that holds a word of an outage reports none', () => {
  const seen = { nodes: [], series: [], status: [] } as unknown as Observations;
  const quiet = { moved: [], appeared: [], failedSpans: [] } as unknown as Anomalies;
  const text = 'unbound_answer_rcodes_total{rcode="SERVFAIL"}';
  expect(externalCauses(seen, quiet, [{ text, weight: 0.8, from: 'metric' }])).toEqual([]);
  expect(externalCauses(seen, quiet, [{ text, weight: 1, from: 'log' }])).toHaveLength(1);
});

test.each([
  ['http_requests_total', { code: '500' }],
  ['http_requests_total', { status: '404' }],
  ['http_server_requests_seconds_count', { outcome: 'SERVER_ERROR' }],
  ['grpc_requests_total', { grpc_code: 'Unavailable' }],
  ['http_requests_errors_total', {}],
])('%s with the labels %j grows with failures, and is no surge', (name, labels) => {
  expect(kindsOf(moved(name, labels, 0.02, 9))).toEqual([]);
});

test('a product whose name contains a word for a surge does not indicate one', () => {
  const text = (body: string) => ({ text: body, weight: 1, from: 'log' as const });
  const seen = { nodes: [], series: [], status: [] } as unknown as Observations;
  const quiet = { moved: [], appeared: [], failedSpans: [] } as unknown as Anomalies;
  expect(externalCauses(seen, quiet, [text('influxdb: write failed')])).toEqual([]);
  expect(externalCauses(seen, quiet, [text('an influx of bots')])).toMatchObject([
    { kind: 'surge' },
  ]);
});

test('quotes what was recorded rather than the alert', () => {
  const seen = { nodes: [], series: [], status: [] } as unknown as Observations;
  const quiet = { moved: [], appeared: [], failedSpans: [] } as unknown as Anomalies;
  const texts = [
    { text: 'a certificate expired?', weight: 1, from: 'alert' as const, node: 'shop' },
    { text: 'x509: certificate has expired', weight: 1, from: 'log' as const, node: 'pay' },
  ];
  const says = (given: typeof texts) => externalCauses(seen, quiet, given)[0];
  expect(says(texts)).toMatchObject({ node: 'pay', says: 'x509: certificate has expired' });
  expect(says(texts.slice(0, 1))).toMatchObject({ node: 'shop', says: 'a certificate expired?' });
});

const QUIET = { moved: [], appeared: [], failedSpans: [] } as unknown as Anomalies;
const NODES = [{ id: 'shop', name: 'shop', dependsOn: [] }];

test('a provider that is well does not rule out another one', () => {
  const document = [
    { provider: 'Login', incidents: [{ name: 'sign-in returns 503', status: 'identified' }] },
    { provider: 'Mail', incidents: [] },
  ];
  const seen = { nodes: NODES, series: [], status: [{ name: 'status', document }] };
  const causes = externalCauses(seen as unknown as Observations, QUIET, []);
  expect(causes).toMatchObject([{ kind: 'provider-outage', strength: 0.9 }]);
  expect(causes[0]?.says).not.toContain('Mail');
});

test.each<[string, string, string[]]>([
  ['a foreign host', 'fetch https://login.example.com/keys: 503 Service Unavailable', ['shop']],
  ['a node', 'fetch https://shop.example.com/keys: 503 Service Unavailable', []],
  ['a host of the cluster', 'Get "http://a.web.svc/keys": status 503', []],
  ['a foreign host that refuses', 'fetch https://login.example.com/keys: 404 Not Found', []],
  [
    'a host that is not reached',
    'connect to mx.mail.example[198.51.100.1]:25: timed out',
    ['shop'],
  ],
  ['an address of the own network', 'connect to https://10.2.3.4/keys: 503 no answer', []],
  ['a node that is not reached', 'connect to shop.example.com:25: Connection refused', []],
])('reads whose answer failed from an error: of %s', (_, body, nodes) => {
  const appeared = [{ node: 'shop', error: true, sample: { body, labels: {} } }];
  const seen = { nodes: NODES, series: [], status: [] } as unknown as Observations;
  const anomalies = { ...QUIET, appeared } as unknown as Anomalies;
  expect(externalCauses(seen, anomalies, []).map(({ node }) => node)).toEqual(nodes);
});

test('a certificate is one in the words of the cluster, too; a scheduler has its own rules', () => {
  const says = (text: string) =>
    externalCauses({ nodes: NODES, series: [], status: [] } as unknown as Observations, QUIET, [
      { text, weight: 0.9, from: 'cluster' },
    ]).map(({ kind }) => kind);
  expect(says('FailedCreate: x509: certificate has expired')).toEqual(['certificate-expired']);
  expect(says('FailedScheduling: preemption: no node fits')).toEqual([]);
});

test('a lookup of a node that is down follows from it, and one of any other name does not', () => {
  const seen = {
    nodes: [{ id: 'orders-db', name: 'orders-db', dependsOn: [] }],
    series: [],
    status: [],
  } as unknown as Observations;
  const quiet = { moved: [], appeared: [], failedSpans: [] } as unknown as Anomalies;
  const log = (host: string) => ({
    text: `getaddrinfo ENOTFOUND ${host}`,
    weight: 1,
    from: 'log' as const,
    node: 'shop',
  });
  const pending = {
    text: 'orders-db-0 is Unschedulable',
    weight: 0.9,
    from: 'cluster' as const,
    node: 'orders-db',
  };
  const own = log('orders-db-0.orders-db.shop.svc.cluster.local');
  const kinds = (...texts: Parameters<typeof externalCauses>[2]) =>
    externalCauses(seen, quiet, texts).map(({ kind }) => kind);
  expect(kinds(own, pending)).toEqual([]);
  expect(kinds(own)).toEqual(['dns']);
  expect(kinds(log('tax.example.com'), pending)).toEqual(['dns']);
});

test.each(['http.response.status_code', 'http.status_code'])(
  'a failed call to a host outside of the system is an outage of its provider: %s',
  (status) => {
    const span = {
      node: 'shop',
      attributes: { 'server.address': 'api.maps.example', [status]: '503' },
    };
    const anomalies = { ...QUIET, failedSpans: [span] } as unknown as Anomalies;
    const seen = { nodes: NODES, series: [], status: [] } as unknown as Observations;
    expect(externalCauses(seen, anomalies, [])).toMatchObject([
      { kind: 'provider-outage', node: 'shop', says: 'calls to api.maps.example fail with 503' },
    ]);
  },
);
