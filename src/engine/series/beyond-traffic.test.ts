import { describe, expect, test } from '@jest/globals';
import { beyondTraffic } from './beyond-traffic.js';

const MINUTE = 60_000;
const movedAt = (minute: number) => (node: string, name: string, from: number, to: number) => ({
  name,
  node,
  labels: {},
  times: [],
  values: [],
  onset: {
    at: minute * MINUTE,
    from,
    to,
    deviations: 20,
    band: 5,
    ramp: true,
    direction: to > from ? (1 as const) : (-1 as const),
  },
});
const moved = movedAt(10);
const namesOf = (...series: ReturnType<typeof moved>[]) =>
  beyondTraffic(series).map(({ node, name }) => `${node} ${name}`);

const traffic = moved('web', 'http_requests_per_second', 40, 120);

test('a morning is no failure: what grows with the traffic, and what falls', () => {
  expect(
    namesOf(
      traffic,
      moved('web', 'process_cpu_usage', 0.15, 0.45),
      moved('db', 'pg_stat_activity_count', 9, 27),
      moved('web', 'http_errors_total', 0.05, 0.16),
      moved('db', 'disk_io_time_seconds', 60, 6),
      moved('web', 'widgets', 1, 3),
    ),
  ).toEqual([]);
});

test('what has a name that says nothing and falls with the traffic is no failure', () => {
  const fewer = moved('web', 'http_requests_per_second', 120, 40);
  expect(namesOf(fewer, moved('web', 'widgets', 3, 1))).toEqual([]);
});

test.each([
  ['grows much more than the traffic', moved('web', 'process_cpu_usage', 0.05, 0.9)],
  ['grew before the traffic', movedAt(1)('web', 'process_cpu_usage', 0.15, 0.45)],
  ['is a share of the requests', moved('web', 'http_errors_ratio', 0.01, 0.03)],
  ['makes users wait', moved('web', 'http_request_duration_p95', 0.1, 0.3)],
  ['has a name that says nothing, and moves much more', moved('web', 'widgets', 1, 9)],
  ['has a name that says nothing, and falls', moved('web', 'widgets', 3, 1)],
])('what %s is a failure', (_, series) => {
  expect(namesOf(traffic, series)).toEqual([`web ${series.name}`]);
});

describe('failures of some requests', () => {
  const minutes = Array.from({ length: 120 }, (_, i) => i);
  const course = (name: string, code: string, valueAt: (minute: number) => number) => ({
    name,
    node: 'web',
    labels: { code },
    times: minutes.map((i) => i * MINUTE),
    values: minutes.map(valueAt),
  });
  /** Twice as much in the end, without an onset. */
  const climb = (minute: number) => 1 + minute / 120;
  const requests = course('http_requests_total', '200', (minute) => 20 * climb(minute));
  /** Few are failures: their counts are whole, and flicker. */
  const failures = (growth: number) => ({
    ...course('http_requests_total', '500', (minute) =>
      Math.round(3 * climb(minute) * (minute < 70 ? 1 : growth) + (minute % 3) - 1),
    ),
    onset: { ...movedAt(70)('web', '', 4, 6 * growth).onset, ramp: false },
  });

  test('are explained by the traffic if as great a share fails', () =>
    expect(beyondTraffic([failures(1)], [requests, failures(1)])).toEqual([]));

  test('are a failure if a greater share fails', () =>
    expect(beyondTraffic([failures(3)], [requests, failures(3)])).toHaveLength(1));

  test('are not explained by other failures', () => {
    const refused = course('http_requests_total', '404', (minute) => 20 * climb(minute));
    expect(beyondTraffic([failures(1)], [refused, failures(1)])).toHaveLength(1);
  });
});

test('without traffic nothing explains a busy processor', () => {
  expect(namesOf(moved('web', 'process_cpu_usage', 0.15, 0.45))).toHaveLength(1);
});

describe('a processor that leaves its band before the traffic does', () => {
  const minutes = Array.from({ length: 60 }, (_, i) => i);
  const climb = (minute: number) => Math.max(1, 1 + (minute - 10) / 20);
  const measured = (series: ReturnType<typeof moved>, valueAt: (minute: number) => number) => ({
    ...series,
    times: minutes.map((minute) => minute * MINUTE),
    values: minutes.map(valueAt),
  });
  const requests = measured(
    movedAt(22)('web', 'http_requests_per_second', 40, 130),
    (minute) => 40 * climb(minute),
  );
  const busy = movedAt(12)('web', 'process_cpu_usage', 0.15, 0.48);

  test('is explained if each request takes as much as usual', () => {
    const processor = measured(busy, (minute) => 0.15 * climb(minute));
    expect(beyondTraffic([requests, processor])).toEqual([]);
  });

  test('is a failure if each request takes more', () => {
    const processor = measured(busy, (minute) => 0.15 * climb(minute) * (minute < 25 ? 1 : 1.4));
    expect(beyondTraffic([requests, processor])).toEqual([processor]);
  });

  test('is a failure if it was measured at other times', () => {
    const processor = measured(busy, (minute) => 0.15 * climb(minute));
    const times = processor.times.map((time) => time + 1);
    expect(beyondTraffic([requests, { ...processor, times }])).toHaveLength(1);
  });
});
