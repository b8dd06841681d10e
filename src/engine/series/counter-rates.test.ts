import { expect, test } from '@jest/globals';
import type { Series } from '../../domain/telemetry/records.js';
import { withoutCounters } from './counter-rates.js';

const MINUTE = 60_000;
const series = (name: string, values: number[]): Series => ({
  name,
  node: 'shop',
  labels: { service: 'shop' },
  values,
  times: values.map((_, i) => i * MINUTE),
});

test('turns a counter into what it counts a second, across a restart of the process', () => {
  const [rate] = withoutCounters([
    series('http_requests_total', [60, 120, 180, 240, 300, 360, 60, 120, 240, 360, 480]),
  ]);
  expect(rate?.values).toEqual([1, 1, 1, 1, 1, 1, 1, 2, 2, 2]);
  expect(rate?.times[0]).toBe(MINUTE);
});

test.each(['container-cpu-usage-seconds-total', 'container-fs-writes-bytes-total'])(
  'knows %s by its suffix as a counter',
  (name) => {
    const [rate] = withoutCounters([series(name, [0, 60, 120, 180, 240, 300, 360, 420, 540])]);
    expect(rate?.values).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
  },
);

test('takes each fall of a process that is started again and again as a restart', () => {
  const counted = [600, 660, 720, 780, 840, 900, 960, 30, 60, 50, 80];
  const [rate] = withoutCounters([series('http_requests_total', counted)]);
  expect(rate?.values).toEqual([1, 1, 1, 1, 1, 1, 0.5, 0.5, 50 / 60, 0.5]);
});

test.each([
  'mysql_global_status_queries',
  'pg_stat_database_xact_commit',
  'phpfpm_accepted_connections',
])('knows %s by its growth as a counter', (name) => {
  const [rate] = withoutCounters([series(name, [0, 60, 120, 180, 240, 300, 360, 420, 540, 660])]);
  expect(rate?.values).toEqual([1, 1, 1, 1, 1, 1, 1, 2, 2]);
});

test.each([
  ['a lag that grows from the start', 'consumergroup_lag', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['what grows later', 'widgets', [4, 4, 4, 4, 4, 4, 4, 5, 6, 7, 8]],
  ['what falls and rises', 'widgets', [9, 10, 11, 10, 11, 12, 13, 14, 15]],
  ['a gauge that is named as one', 'sessions_total', [9, 8, 9, 10, 9, 8, 9, 10, 11]],
  ['a counter that does not move', 'errors_total', [4, 4, 4, 4, 4, 4, 4, 4, 4]],
  ['a gauge that grows', 'heap_bytes', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
])('leaves %s as it is', (_, name, values) => {
  expect(withoutCounters([series(name, values)])[0]?.values).toEqual(values);
});

test('makes a histogram its mean, and no value where nothing was counted', () => {
  const found = withoutCounters([
    series('latency_seconds_sum', [0, 1, 2, 3, 4, 5, 6, 7, 7]),
    series('latency_seconds_count', [0, 10, 20, 30, 40, 50, 60, 70, 70]),
    series('latency_seconds_bucket', [0, 9, 18, 27, 36, 45, 54, 63, 63]),
  ]);
  expect(found.map(({ name }) => name)).toEqual(['latency_seconds_count', 'latency_seconds']);
  expect(found[1]?.values.slice(0, 7)).toEqual(Array(7).fill(0.1));
  expect(found[1]?.values[7]).toBeNaN();
});
