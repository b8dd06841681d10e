import { describe, expect, test } from '@jest/globals';
import { processorMsOf } from '../../test/support/processes/processor-time.js';
import { externalCauses } from './outside/external-causes.js';
import { faultTexts } from './fault-texts.js';
import { kindOfFailure } from './kind-of-failure.js';
import { LogTemplates } from './logs/log-templates.js';
import { findAnomalies } from './find-anomalies.js';
import type { Observations } from './observations.js';
import { rankRootCauses } from './rank-root-causes.js';
import type { LogRecord, Series } from '../domain/telemetry/records.js';
import { symptomStrengths } from './symptoms.js';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T10:00:00Z');
const at = (minute: number) => START + minute * MINUTE;
const REPORTED = at(50);

const nodes = [
  { id: 'shop', name: 'shop', dependsOn: ['orders'] },
  { id: 'orders', name: 'orders', dependsOn: ['orders-db'] },
  { id: 'orders-db', name: 'orders-db', dependsOn: [] },
];
const series = (node: string, name: string, change: (minute: number) => number): Series => ({
  name,
  node,
  labels: { service: node },
  times: Array.from({ length: 60 }, (_, i) => at(i)),
  values: Array.from({ length: 60 }, (_, i) => change(i) + (i % 3) * 0.01),
});
const error = (node: string, minute: number, body: string): LogRecord => ({
  node,
  body,
  severity: 'ERROR',
  at: at(minute),
  labels: { service: node },
});

function seen(logs: LogRecord[], more: Partial<Observations> = {}): Observations {
  const templates = new LogTemplates(at(25));
  for (let minute = 0; minute < 50; minute += 2)
    templates.add({ ...error('shop', minute, 'served a page'), severity: 'INFO' });
  logs.forEach((record) => templates.add(record));
  return {
    frame: { start: START, now: at(60), reportedAt: REPORTED },
    alerts: [
      {
        labels: { alertname: 'ShopErrors', service: 'shop', metric: 'error_rate' },
        annotations: { summary: 'shop answers 500' },
        startsAt: REPORTED,
      },
    ],
    nodes,
    series: [],
    patterns: [],
    spans: [],
    notes: new Map(),
    changes: [],
    status: [],
    recordings: [],
    kubernetes: [],
    kubernetesByNode: new Map(),
    templates: templates.all(),
    ...more,
  };
}

const POOL = {
  logs: [
    error('orders', 42, 'pq: acquiring connection from the pool timed out: pool of 5 is exhausted'),
    error('shop', 44, 'upstream orders answered 500'),
  ],
  series: [
    series('orders', 'db_pool_size', (minute) => (minute < 40 ? 50 : 5)),
    series('shop', 'error_rate', (minute) => (minute < 44 ? 0 : 30)),
  ],
};
const commit = (id: string, minute: number, file: string, [removed, added]: [string, string]) => ({
  kind: 'commit' as const,
  at: at(minute),
  id,
  message: `change ${id}`,
  files: [file],
  diff: `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-${removed}\n+${added}`,
});
const deploy = (node: string, minute: number, id: string) => ({
  kind: 'deploy' as const,
  at: at(minute),
  node,
  commit: id,
  version: id,
});

describe('rankRootCauses', () => {
  const changes = [
    commit('c0ffee01', 35, 'services/orders/pool.yaml', ['max_pool: 50', 'max_pool: 5']),
    deploy('orders', 40, 'c0ffee01'),
    commit('decade02', 45, 'services/shop/theme.go', ['title := "Shop"', 'title := "The shop"']),
    deploy('shop', 46, 'decade02'),
  ];
  const ranking = rankRootCauses(seen(POOL.logs, { series: POOL.series, changes }), 'shop is down');

  test('selects the change that explains the failure, at the node where it went live', () => {
    expect(ranking.healthy).toBe(false);
    expect(ranking.causes[0]).toMatchObject({
      node: 'orders',
      kind: 'connection-pool-exhausted',
      change: 'c0ffee01',
      onset: at(40),
    });
    expect(ranking.causes[0]?.for.join()).toContain('db_pool_size went from 50');
  });

  test('says why the alert and the latest deploy point at the wrong place', () => {
    expect(ranking.rejected.map(({ title }) => title)).toEqual([
      'the alert is about it, but it is not the root cause',
      'the latest deploy (shop, 10:46) is not the cause: change decade02',
    ]);
    expect(ranking.rejected[1]?.reasons.join()).toContain('after the failure began');
  });

  test('selects no change where a certificate has expired', () => {
    const logs = [
      error(
        'orders',
        42,
        'Post "https://orders-db:8443/x": x509: certificate has expired or is not yet valid',
      ),
    ];
    const { causes } = rankRootCauses(seen(logs, { changes }), '');
    expect(causes[0]).toMatchObject({ node: 'orders-db', kind: 'certificate-expired' });
    expect(causes[0]?.change).toBeUndefined();
  });

  test('is calm where nothing is out of the ordinary', () => {
    const calm = seen([], { alerts: [], series: [series('shop', 'error_rate', () => 1)], changes });
    expect(rankRootCauses(calm, '')).toMatchObject({ healthy: true, causes: [], rejected: [] });
  });

  test('reads the answers of other tools where nothing else shows a failure', () => {
    const args = { name: 'web' };
    const output = 'Reason: OOMKilled';
    const recordings = [{ tool: 'kubectl_describe', args, status: 'success', output }];
    for (const more of [{ templates: [] }, {}]) {
      const { causes } = rankRootCauses(seen([], { alerts: [], ...more, recordings }), 'web?');
      expect(causes[0]).toMatchObject({ node: 'shop', kind: 'out-of-memory' });
    }
  });

  test('finds a failure in metrics alone without a report or an alert', () => {
    const cpu = series('orders', 'cpu_percent', (minute) => (minute < 40 ? 10 : 98));
    const { frame, ...rest } = seen([], { alerts: [], templates: [], series: [cpu] });
    const unreported = { ...rest, frame: { start: frame.start, now: frame.now } };
    expect(rankRootCauses(unreported, '').causes[0]).toMatchObject({
      node: 'orders',
      kind: 'cpu-saturated',
    });
  });

  describe('where the spans of some nodes are as usual', () => {
    const spans = Array.from({ length: 300 }, (_, i) => ({
      traceId: `t${i}`,
      spanId: `s${i}`,
      node: 'shop',
      name: 'GET /',
      durationMs: 40,
      start: at(i / 5),
      attributes: {},
    }));

    test('reads logs and metrics of the others', () => {
      const { causes } = rankRootCauses(seen(POOL.logs, { series: POOL.series, spans }), '');
      expect(causes[0]).toMatchObject({ node: 'orders', kind: 'connection-pool-exhausted' });
    });

    test('prefers surer evidence of another node to a single span that failed', () => {
      const failed = spans.map((span, i) => (i === 280 ? { ...span, error: 'reset' } : span));
      const given = seen(POOL.logs, { series: POOL.series, changes, spans: failed });
      expect(rankRootCauses(given, '').causes[0]).toMatchObject({
        node: 'orders',
        change: 'c0ffee01',
      });
    });

    test('is calm where the logs are, too', () => {
      const calm = seen([], { alerts: [], spans });
      expect(rankRootCauses(calm, '')).toMatchObject({ healthy: true, causes: [] });
    });
  });
});

describe('externalCauses', () => {
  const causesOf = (observations: Observations) => {
    const anomalies = findAnomalies(observations);
    return externalCauses(observations, anomalies, faultTexts(observations, anomalies));
  };

  test.each([
    ['dns', 'dial tcp: lookup tax.internal: no such host'],
    ['infrastructure', 'primary lost: hardware failure on host db-4'],
    ['credential', 'the api key was revoked by its owner'],
    ['bad-data', 'poison message: cannot parse record'],
  ])('finds %s in an error', (kind, body) => {
    expect(causesOf(seen([error('orders', 42, body)]))[0]?.kind).toBe(kind);
  });

  test('finds an outage on a status page, and none on one that is calm', () => {
    const page = (status: string) => [{ name: 'p.json', document: { status, incidents: [] } }];
    const outage = [
      { name: 'p.json', document: { status: 'major_outage', incidents: [{ name: 'API errors' }] } },
    ];
    expect(causesOf(seen([], { status: outage }))[0]?.kind).toBe('provider-outage');
    expect(causesOf(seen([], { status: page('operational') }))).toEqual([]);
  });

  test('finds traffic that grew before anything else, but not a fan-out', () => {
    const grow = (minute: number) => (minute < 38 ? 10 : 80);
    const own = [
      series('shop', 'app.requests.per.sec', grow),
      series('orders', 'cpu_percent', (minute) => (minute < 41 ? 20 : 95)),
    ];
    expect(causesOf(seen([], { series: own }))[0]?.kind).toBe('surge');
    const fanOut = [
      series('orders-db', 'requests_per_sec', grow),
      series('orders', 'latency_ms', () => 5),
    ];
    expect(causesOf(seen([], { series: fanOut }))).toEqual([]);
  });
});

describe('kindOfFailure', () => {
  const shown = (text: string) => symptomStrengths([{ text, weight: 1, from: 'log' }]);

  test('takes the mechanism where its symptoms show', () => {
    expect(kindOfFailure('key-changed', undefined, shown('cache miss ratio'))).toBe('cache');
    expect(kindOfFailure('key-changed', undefined, shown('consumer lag, hot partition'))).toBe(
      'queue-lag',
    );
    expect(kindOfFailure('contract-renamed', undefined, shown('Unrecognized field "mail"'))).toBe(
      'schema-mismatch',
    );
  });

  test('takes the symptom where the mechanism does not bring it about', () => {
    expect(kindOfFailure('schema-use', undefined, shown('deadlock detected'))).toBe('lock');
  });

  test('prefers a symptom of one fault to one of many faults', () => {
    expect(kindOfFailure(undefined, undefined, shown('latency: queries per request'))).toBe(
      'slow-query',
    );
  });
});

test.each(['RETRYIB', 'EVICT', 'storageclass"', 'CERT', 'a.', '-1'])(
  'reads log lines that repeat %j in linear time',
  async (word) => {
    const msOf = (length: number): Promise<number> => {
      const repeated = word.repeat(length / word.length);
      const lines = Array.from({ length: 25 }, (_, i) =>
        error('orders', 42, `line ${'x'.repeat(i)} ${repeated}`),
      );
      const observations = seen(lines);
      return processorMsOf(() => rankRootCauses(observations, ''));
    };
    await msOf(4_000);
    const quarter = await msOf(4_000);
    // Linear: four times as much; quadratic: sixteen times, and a second.
    expect(await msOf(16_000)).toBeLessThan(Math.max(8 * quarter, 125));
  },
);
