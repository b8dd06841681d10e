import { describe, expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../test/support/incidents/observations.js';
import { LogTemplates } from './logs/log-templates.js';
import type { Series } from '../domain/telemetry/records.js';
import { rankRootCauses } from './rank-root-causes.js';

/** Four hours of points of each minute, for which no failure was reported. */
const MINUTES = 240;
const minutes = Array.from({ length: MINUTES }, (_, minute) => minute);
type Course = (minute: number) => number;

const ripple: Course = (i) => 1 + 0.03 * (((i * 7) % 11) / 5 - 1);
const measured = (node: string, name: string, valueAt: Course, labels = {}): Series => ({
  name,
  node,
  labels: { service: node, ...labels },
  times: minutes.map((i) => i * MINUTE),
  values: minutes.map((i) => valueAt(i) * ripple(i)),
});
/** A counter that grows by whole numbers. */
function counted(node: string, name: string, perMinute: Course, labels = {}): Series {
  let owed = 0;
  let total = 1_000;
  const values = minutes.map((i) => {
    owed += perMinute(i) * ripple(i);
    const whole = Math.floor(owed);
    owed -= whole;
    return (total += whole);
  });
  return { ...measured(node, name, () => 0, labels), values };
}
const requests = (perMinute: Course) =>
  counted('shop', 'http_requests_total', perMinute, { code: '200' });
const failures = (perMinute: Course) =>
  counted('shop', 'http_requests_total', perMinute, { code: '500' });
const latency = (milliseconds: Course) => measured('shop', 'http_p95_ms', milliseconds);
const always =
  (value: number): Course =>
  () =>
    value;
const stepAt =
  (minute: number, before: number, after: number): Course =>
  (i) =>
    i < minute ? before : after;
const spell =
  (from: number, until: number, usual: number, then: number): Course =>
  (i) =>
    i >= from && i < until ? then : usual;
const memory = measured('cart', 'process_resident_memory_bytes', always(3e8));
/** Three times as much at the end as in the beginning. */
const evening: Course = (i) => 2 - Math.cos((i / MINUTES) * Math.PI);

const isWell = (...series: Series[]): boolean =>
  rankRootCauses(
    observed({ frame: { start: 0, now: MINUTES * MINUTE }, series }),
    'is anything wrong?',
  ).healthy;

describe('a system is well', () => {
  test.each<[string, Series[]]>([
    [
      'in the rush of the evening, if as great a share fails',
      [
        requests((i) => 1_000 * evening(i)),
        failures((i) => 2 * evening(i)),
        latency((i) => 95 + 4 * evening(i)),
        measured('shop', 'cpu_cores', (i) => 0.4 * evening(i)),
      ],
    ],
    [
      'as more replicas serve more requests',
      [
        requests(stepAt(170, 1_000, 2_200)),
        failures(stepAt(170, 2, 4)),
        latency(always(100)),
        measured('shop', 'kube_deployment_status_replicas_available', stepAt(174, 2, 4)),
        measured('shop', 'container_cpu_usage_cores', stepAt(170, 0.8, 1.7)),
        measured('db', 'pg_stat_activity_count', stepAt(172, 12, 25)),
      ],
    ],
    [
      'as a backup reads a database',
      [
        requests(always(1_000)),
        latency(always(100)),
        measured('db', 'disk_read_bytes_per_second', stepAt(200, 2e6, 9e7)),
        counted('db', 'node_network_transmit_bytes_total', stepAt(200, 1e6, 4e7)),
        measured('db', 'cpu_percent', stepAt(200, 20, 55)),
      ],
    ],
    [
      'once the cache of a new version is warm',
      [
        requests(always(1_000)),
        latency(spell(140, 155, 100, 300)),
        measured('cart', 'cache_hit_ratio', spell(140, 155, 0.95, 0.3)),
        measured('cart', 'process_resident_memory_bytes', stepAt(140, 3e8, 5e8)),
      ],
    ],
    [
      'as a job of the night deletes rows',
      [
        requests(always(1_000)),
        latency(always(100)),
        measured('db', 'db_rows_deleted_per_s', stepAt(200, 2, 900)),
        measured('db', 'process_cpu_seconds', stepAt(200, 0.2, 0.9)),
      ],
    ],
    [
      'an hour after a failure that healed',
      [
        requests(always(1_000)),
        failures(spell(150, 160, 2, 300)),
        latency(spell(150, 160, 100, 3_000)),
      ],
    ],
    [
      'as fewer replicas serve the fewer requests of the night',
      [
        requests((i) => 1_000 * (4 - evening(i))),
        latency(always(100)),
        measured('shop', 'kube_deployment_status_replicas_available', (i) =>
          Math.ceil(4 * (4 - evening(Math.max(0, i - 5)))),
        ),
      ],
    ],
    [
      'as fewer replicas serve fewer requests after a step',
      [
        requests(stepAt(170, 2_200, 1_000)),
        latency(always(100)),
        measured('shop', 'kube_deployment_status_replicas_available', stepAt(176, 9, 4)),
      ],
    ],
    ['if a handful of requests fails', [requests(always(1_000)), failures(stepAt(234, 0, 1.1))]],
    [
      'where the load of a day falls, and rises as fast',
      [latency((i) => 70 - 20 * Math.sin((i / MINUTES) * Math.PI))],
    ],
  ])('%s', (_, series) => expect(isWell(...series)).toBe(true));
});

describe('a system is unhealthy', () => {
  test.each<[string, Series[]]>([
    [
      'in the rush of the evening, if a greater share fails',
      [
        requests((i) => 1_000 * evening(i)),
        failures((i) => (i < 200 ? 2 : 20) * evening(i)),
        latency((i) => 95 + 4 * evening(i)),
      ],
    ],
    [
      'as the replicas for more requests do not start',
      [
        requests(stepAt(170, 1_000, 2_200)),
        latency(stepAt(170, 100, 900)),
        measured('shop', 'container_cpu_usage_cores', stepAt(170, 0.8, 1.7)),
      ],
    ],
    [
      'as a backup slows the shop down',
      [
        requests(always(1_000)),
        latency(stepAt(202, 100, 700)),
        measured('db', 'disk_read_bytes_per_second', stepAt(200, 2e6, 9e7)),
      ],
    ],
    [
      'while the cache of a new version stays cold',
      [requests(always(1_000)), measured('cart', 'cache_hit_ratio', stepAt(140, 0.95, 0.3))],
    ],
    [
      'as a job of the night blocks others',
      [
        requests(always(1_000)),
        measured('db', 'db_rows_deleted_per_s', stepAt(200, 2, 900)),
        measured('db', 'pg_locks_waiting', stepAt(201, 0, 20)),
      ],
    ],
    [
      'during a failure',
      [requests(always(1_000)), failures(stepAt(220, 2, 300)), latency(stepAt(220, 100, 3_000))],
    ],
    [
      'as replicas are lost, and then fewer requests are served',
      [
        requests(stepAt(203, 2_200, 1_000)),
        latency(always(100)),
        measured('shop', 'kube_deployment_status_replicas_available', stepAt(200, 9, 4)),
      ],
    ],
    ['if few requests fail for long', [requests(always(1_000)), failures(stepAt(200, 0, 3))]],
    [
      'as requests wait for connections',
      [
        requests(always(1_000)),
        measured('cart', 'hikaricp_connections_pending', stepAt(210, 0, 15)),
      ],
    ],
    ['as a processor is busy all the time', [measured('db', 'cpu_percent', stepAt(200, 20, 95))]],
    ['as a processor is never idle', [measured('db', 'node_cpu_idle_percent', stepAt(200, 80, 5))]],
    [
      'while memory grows without end',
      [{ ...memory, values: minutes.map((i) => 3e8 + 4e6 * Math.max(0, i - 100)) }],
    ],
    ['as a queue is not read', [measured('db', 'consumer_lag', (i) => 10 + Math.max(0, i - 150))]],
  ])('%s', (_, series) => expect(isWell(...series)).toBe(false));
});

describe('errors of a canary that was taken back', () => {
  const lines = (errorsUntil: number) => {
    const templates = new LogTemplates(120 * MINUTE);
    for (const minute of minutes) {
      const add = (severity: string, body: string) =>
        templates.add({ node: 'shop', at: minute * MINUTE, severity, body, labels: {} });
      add('INFO', 'served a page');
      if (minute >= 180 && minute < errorsUntil) add('ERROR', 'nil is no wallet');
    }
    return templates.all();
  };
  const rank = (errorsUntil: number, ...series: Series[]) =>
    rankRootCauses(
      observed({
        frame: { start: 0, now: MINUTES * MINUTE },
        templates: lines(errorsUntil),
        series: [latency(always(100)), ...series],
      }),
      'is anything wrong?',
    );

  test('are no present failure', () =>
    expect(rank(190)).toMatchObject({
      healthy: true,
      causes: [],
      passed: { node: 'shop', from: 180 * MINUTE, until: 189 * MINUTE },
    }));

  test.each([
    ['last', rank(MINUTES)],
    ['ended with a series out of its band', rank(190, failures(stepAt(190, 2, 300)))],
  ])('are a present failure if they %s', (_, { healthy, causes: [first], passed }) => {
    expect([healthy, first?.node]).toEqual([false, 'shop']);
    expect(passed).toBeUndefined();
  });
});
