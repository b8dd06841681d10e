import { expect, test } from '@jest/globals';
import { fault, failingCallers, page } from '../../test/support/scenes/known-fault.js';
import { change, line, pod, sceneOf, step, type Part } from '../../test/support/scenes/scene.js';
import { joinEvidence } from './join-evidence.js';
import { findAnomalies } from './find-anomalies.js';
import type { RankedCause } from './ranking.js';

const cause = (node: string, score: number): RankedCause => ({
  node,
  score,
  kind: 'latency',
  confidence: 0.5,
  title: '',
  for: ['is slow'],
  against: [],
});
const BY_SPANS = [cause('orders', 3), cause('payments', 1)];
const join = (...parts: Part[][]) => {
  const { seen } = fault('', 'unknown', '', page, failingCallers, ...parts);
  return joinEvidence(seen, findAnomalies(seen), BY_SPANS);
};

test('leaves a ranking as it is to which nothing is to be added', () => {
  expect(join()).toEqual({ causes: BY_SPANS, changes: [] });
});

test('puts a node first whose pods the cluster says are not running, and why', () => {
  const killed = { lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } };
  const { causes } = join([pod('payments', { ...killed, restartCount: 3 })]);
  expect(causes.map(({ node, kind }) => [node, kind])).toEqual([
    ['payments', 'out-of-memory'],
    ['orders', 'latency'],
  ]);
});

test('does not count a pod that was restarted before the quiet time ended, and runs', () => {
  const terminated = { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-03-02T10:01:00Z' };
  const { causes } = join([pod('payments', { state: { running: {} }, lastState: { terminated } })]);
  expect(causes).toEqual(BY_SPANS);
});

test('adds the change that explains the failure, where a suspect got it', () => {
  const pool = change('payments', 'payments/pool.yaml', '-max_pool: 50\n+max_pool: 5');
  const signs = [
    step('payments', 'db_pool_size', [50, 5]),
    line('payments', 'level=error msg="acquire connection: pool exhausted, pool of 5"'),
  ];
  const { causes, changes } = join([...signs, ...pool]);
  expect(causes[0]).toMatchObject({
    node: 'payments',
    kind: 'connection-pool-exhausted',
    change: pool[0]?.change?.id,
  });
  expect(changes).toHaveLength(1);
});

test('puts a node first that the first suspect calls, where a change of it explains the failure', () => {
  const pool = change('payments', 'payments/pool.yaml', '-max_pool: 50\n+max_pool: 5');
  const { seen } = fault('', 'unknown', '', page, failingCallers, [
    step('payments', 'db_pool_size', [50, 5]),
    line('payments', 'level=error msg="acquire connection: pool exhausted, pool of 5"'),
    ...pool,
  ]);
  const { causes } = joinEvidence(seen, findAnomalies(seen), [cause('orders', 3)]);
  expect(causes.map(({ node, title }) => [node, title])).toEqual([
    ['payments', expect.stringContaining('connection pool exhausted, caused by change')],
    ['orders', ''],
  ]);
});

test('of two ends of a slow call, puts the one first whose own metrics show the delay', () => {
  const ends = ['orders', 'payments'].map((node): RankedCause => ({
    ...cause(node, 5.5),
    kind: 'network-delay',
  }));
  const { seen } = fault('', 'unknown', '', page, failingCallers, [
    step('payments', 'node_netstat_Tcp_RetransSegs', [0.1, 20]),
  ]);
  const { causes } = joinEvidence(seen, findAnomalies(seen), ends);
  expect(causes.map(({ node }) => node)).toEqual(['payments', 'orders']);
  expect(causes[0]?.for.at(-1)).toMatch(/RetransSegs left its usual band/);
});

test('a node whose calls to a provider fail is slow because of the provider', () => {
  const slow = 'level=error msg="fetch https://api.maps.example/route: 503"';
  const kindOf = (...parts: Part[]) => join(parts).causes[0]?.kind;
  expect(kindOf(line('orders', slow))).toBe('provider-outage');
  expect(kindOf(line('payments', slow))).toBe('latency');
});

test('puts a node first that takes what the first suspect lacks, and calls the same', () => {
  const first = (node: string, slow = 'orders') => {
    const seen = sceneOf(
      'web > orders > gateway; reports > gateway; mail > mail-db',
      page,
      failingCallers,
      line('orders', 'level=error msg="gateway answered 429 too many requests, rate limit"'),
      line(node, 'level=warn msg="poll gateway: 429, rate limit"'),
      change(
        node,
        `${node}/gateway.yaml`,
        '-poll_interval_seconds: 900\n+poll_interval_seconds: 5',
      ),
    );
    return joinEvidence(seen, findAnomalies(seen), [cause(slow, 3)]).causes[0];
  };
  expect(first('reports')).toMatchObject({ node: 'reports', kind: 'rate-limited' });
  expect(first('mail')).toMatchObject({ node: 'orders' });
  expect(first('reports', 'gateway')).toMatchObject({ node: 'reports' });
});
