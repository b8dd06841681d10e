import { describe, expect, test } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../test/support/incidents/observations.js';
import { rankByDeviation } from './rank-by-deviation.js';
import { GraphMetrics, graphTarget, rankByGraph, degradedEntries } from './rank-by-graph.js';
import type { Series } from '../domain/telemetry/records.js';

describe('rankByDeviation', () => {
  test('orders nodes by how far they rose above the baseline', () => {
    const series = [
      steppedSeries('shop', 'latency', 100, 150),
      steppedSeries('db', 'latency', 10, 500),
      steppedSeries('cart', 'cpu', 20, 60),
    ];
    expect(rankByDeviation(observed({ series })).map(({ node, kind }) => [node, kind])).toEqual([
      ['db', 'latency'],
      ['cart', 'cpu-saturated'],
      ['shop', 'latency'],
    ]);
  });

  test('passes over a fall, a flat series and points without a value', () => {
    const gaps = steppedSeries('db', 'latency', 10, 500);
    const series = [
      steppedSeries('shop', 'requests', 500, 10),
      { ...steppedSeries('cart', 'limit', 5, 5), values: Array<number>(40).fill(5) },
      { ...gaps, values: gaps.values.map((value, i) => (i % 5 === 0 ? NaN : value)) },
    ];
    const ranked = rankByDeviation(observed({ series }));
    expect(ranked.filter(({ score }) => score > 1).map(({ node }) => node)).toEqual(['db']);
  });
});

describe('rankByDeviation over a graph', () => {
  const ranked = (...series: Series[]) =>
    rankByDeviation(observed({ series })).map(({ node, kind }) => [node, kind]);

  test('explains the waiting of callers by an unhealthy dependency', () => {
    const waiting = ['shop', 'cart'].map((id) => steppedSeries(id, 'latency_p99', 10, 900));
    expect(ranked(...waiting, steppedSeries('db', 'memory_bytes', 1e8, 9e8))[0]).toEqual([
      'db',
      'memory',
    ]);
  });

  test('puts a resource that ran out first', () => {
    const series = [
      steppedSeries('db', 'latency_p99', 10, 9_000),
      steppedSeries('cart', 'cpu_usage_percent', 12, 98),
    ];
    expect(ranked(...series)[0]).toEqual(['cart', 'cpu-saturated']);
  });

  test('explains what callers measure in names that say nothing by a machine that fails', () => {
    expect(
      ranked(
        steppedSeries('shop', 'answers_held', 1, 90),
        steppedSeries('db', 'ipmi_fan_speed_rpm', 12_000, 10),
      )[0],
    ).toEqual(['db', 'infrastructure']);
    expect(ranked(steppedSeries('shop', 'answers_held', 1, 90))[0]).toEqual(['shop', 'unknown']);
  });

  test('counts a fall of what should not fall', () => {
    expect(ranked(steppedSeries('db', 'FreeableMemory', 8e9, 1e8))[0]).toEqual(['db', 'memory']);
  });

  test('passes over a spike of one point', () => {
    const calm = steppedSeries('shop', 'latency', 10, 10);
    const spiked = { ...calm, values: calm.values.map((value, i) => (i === 30 ? 9e9 : value)) };
    expect(ranked(spiked, steppedSeries('db', 'latency', 10, 90))[0]).toEqual(['db', 'latency']);
  });

  test('compares with the time before the report where the baseline is too short', () => {
    const series = [steppedSeries('db', 'latency', 10, 90)];
    const frame = {
      start: -30 * MINUTE,
      now: 20 * MINUTE,
      reportedAt: 18 * MINUTE,
      baseline: { from: 0, to: MINUTE },
    };
    const long = {
      ...(series[0] as Series),
      times: Array.from({ length: 50 }, (_, i) => (i - 30) * MINUTE),
      values: Array.from({ length: 50 }, (_, i) => (i < 40 ? 10 + (i % 3) : 90)),
    };
    expect(rankByDeviation(observed({ series: [long], frame }))).toMatchObject([
      { node: 'db', title: 'latency rose from 11 to 90' },
    ]);
  });
});

/**
 * Latency and requests of five nodes in a row, a → e; `bad` of them are slow by that much in the
 * incident.
 */
function chain(bad: Record<string, number>): ReturnType<typeof observed> {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const nodes = ids.map((id, i) => ({ id, name: id, dependsOn: ids.slice(i + 1, i + 2) }));
  const series: Series[] = ids.flatMap((id) => [
    steppedSeries(id, 'latency', 100, 100 + (bad[id] ?? 0)),
    steppedSeries(id, 'requests', 1_000, 1_000),
  ]);
  const alerts = [{ labels: { service: 'a', metric: 'latency' }, annotations: {} }];
  return observed({ nodes, series, alerts });
}

describe('rankByGraph', () => {
  test('blames the node where the extra time begins, not those that wait for it', () => {
    const seen = chain({ a: 900, b: 900, c: 900 });
    const metrics = new GraphMetrics(seen);
    const target = graphTarget(seen, metrics);
    expect(target).toEqual({ node: 'a', metric: 'latency' });
    const [first] = rankByGraph(seen, metrics, target ?? { node: '', metric: 'latency' });
    expect(first).toMatchObject({ node: 'c', kind: 'latency' });
    expect(first?.title).toBe('accounts for all of the extra time at a');
  });

  test.each([
    [300, 'accounts for 33 % of the extra time at a', 'its extra time is 33 % of that at a; 33 %'],
    [
      1_400,
      'accounts for all of the extra time at a',
      'its extra time is more than that at a; all',
    ],
  ])('calls no more than all of the failure a share: %d ms of 900', (extra, title, ratio) => {
    const seen = chain({ a: 900, b: extra });
    const metrics = new GraphMetrics(seen);
    const found = rankByGraph(seen, metrics, { node: 'a', metric: 'latency' });
    const b = found.find(({ node }) => node === 'b');
    expect(b?.title).toBe(title);
    expect(b?.for).toContain(`${ratio} without that of the nodes that it depends on`);
  });

  test.each([
    [1_000, 'latency'],
    [4_000, 'traffic-surge'],
  ])('blames the node of the alert if all that it calls is well: %d requests', (requests, kind) => {
    const seen = chain({ a: 900 });
    const series = [...seen.series.slice(0, 1), steppedSeries('a', 'requests', 1_000, requests)];
    const metrics = new GraphMetrics({ ...seen, series: [...series, ...seen.series.slice(2)] });
    const [first] = rankByGraph(seen, metrics, { node: 'a', metric: 'latency' });
    expect(first).toMatchObject({ node: 'a', kind });
  });

  test('reads the metric from the words of an alert, and lends a node the requests of its caller', () => {
    const seen = chain({ a: 900, b: 900, c: 900 });
    const series = [
      ...seen.series.filter(({ name, node }) => name !== 'requests' || node !== 'c'),
      steppedSeries('f', 'requests', 1_000, 1_000),
    ];
    const alerts = [{ labels: { job: 'a', alertname: 'HighLatency' }, annotations: {} }];
    const changed = { ...seen, series, alerts };
    const metrics = new GraphMetrics(changed);
    const target = graphTarget(changed, metrics);
    expect(target).toEqual({ node: 'a', metric: 'latency' });
    const [first] = rankByGraph(changed, metrics, target ?? { node: '', metric: 'latency' });
    expect(first).toMatchObject({ node: 'c' });
  });

  test('takes availability as a percentage or as a share of one', () => {
    const of = (value: number) =>
      new GraphMetrics(observed({ series: [steppedSeries('a', 'availability', value, value)] }))
        .of('a', 'availability')
        ?.values.at(-1);
    expect(of(0.5)).toBeCloseTo(50, 0);
    expect(of(50)).toBeCloseTo(50, 0);
  });

  test('does not take what runs beside the requests for them', () => {
    const names = ['go_gc_duration_seconds', 'scrape_duration_seconds', 'client_request_count'];
    const series = names.map((name) => steppedSeries('a', name, 1, 9));
    const metrics = new GraphMetrics(observed({ series }));
    expect([metrics.of('a', 'latency'), metrics.of('a', 'requests')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('needs an alert, and enough nodes with request counts', () => {
    const seen = chain({ a: 900 });
    const metrics = new GraphMetrics(seen);
    expect(graphTarget({ ...seen, alerts: [] }, metrics)).toBeUndefined();
    const few = { ...seen, series: seen.series.slice(0, 4) };
    expect(graphTarget(few, new GraphMetrics(few))).toBeUndefined();
  });
});

describe('degradedEntries', () => {
  /** Two hours of normal time, so that it is known what is rare. */
  const entry = (now: number): ReturnType<typeof observed> => {
    const long = ({ node = '', name }: Series, usual: number, last: number): Series => {
      const times = Array.from({ length: 130 }, (_, i) => i * MINUTE);
      const values = times.map((at, i) => (at > 120 * MINUTE ? last : usual) + (i % 3));
      return { name, node, labels: {}, times, values };
    };
    const series = ['shop', 'db'].flatMap((id) => [
      long(steppedSeries(id, 'latency', 1, 1), 100, now),
      long(steppedSeries(id, 'requests', 1, 1), 1_000, 1_000),
    ]);
    const frame = { start: 0, now: 130 * MINUTE, baseline: { from: 0, to: 120 * MINUTE } };
    return observed({ series, frame });
  };

  test('finds an entry that is unmistakably worse, and no node that others call', () => {
    const seen = entry(400);
    expect(degradedEntries(seen, new GraphMetrics(seen))).toMatchObject([{ node: 'shop' }]);
  });

  test('is calm about an entry that is hardly worse', () => {
    const seen = entry(104);
    expect(degradedEntries(seen, new GraphMetrics(seen))).toEqual([]);
  });
});
