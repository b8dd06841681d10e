import { describe, expect, test } from '@jest/globals';
import { attributeOverGraph, impliedEdges, type NodeMetric } from './graph-attribution.js';
import { findOnset } from './onset/onset.js';
import { saturations } from './saturation.js';

const MINUTE = 60_000;
const series = (values: number[]) => ({ times: values.map((_, i) => i * MINUTE), values });
const flat = (count: number, value = 10) =>
  Array.from({ length: count }, (_, i) => value + (i % 3) * 0.1);

describe('findOnset', () => {
  test('finds a step with its time, direction and values', () => {
    const onset = findOnset(series([...flat(20), ...flat(10, 50)]));
    expect(onset).toMatchObject({ at: 20 * MINUTE, direction: 1, ramp: false });
    expect(onset?.from).toBeCloseTo(10.1, 1);
    expect(onset?.to).toBeCloseTo(50.1, 0);
  });

  test('finds a drop', () => {
    expect(findOnset(series([...flat(20), ...flat(10, 1)]))).toMatchObject({ direction: -1 });
  });

  test('takes one or two more of what is counted for no change', () => {
    const sessions = (now: number) =>
      findOnset(series([...Array(30).keys()].map((i) => (i > 18 ? now : i === 4 ? 10 : 9))));
    expect(sessions(11)).toBeUndefined();
    expect(sessions(30)).toMatchObject({ direction: 1 });
  });

  test.each([
    ['a single spike', [90]],
    ['a spell', [90, 90, 90, 90]],
  ])('begins with the step that lasts, and not with %s before it', (_, spike) => {
    const values = [...flat(40), ...spike, ...flat(10), ...flat(40, 90)];
    expect(findOnset(series(values))?.at).toBe((50 + spike.length) * MINUTE);
  });

  test('begins with the first of intermittent failures', () => {
    const values = [...flat(20), 90, ...flat(1), ...flat(2, 90), ...flat(1), ...flat(20, 90)];
    expect(findOnset(series(values))?.at).toBe(20 * MINUTE);
  });

  test('finds a late step of a few points', () => {
    expect(findOnset(series([...flat(57), ...flat(3, 90)]))?.at).toBe(57 * MINUTE);
  });

  test('follows a ramp back to where it began', () => {
    const ramp = Array.from({ length: 30 }, (_, i) => 10 + i * 2);
    const onset = findOnset(series([...flat(30), ...ramp]));
    expect(onset?.ramp).toBe(true);
    expect(onset?.at).toBeLessThanOrEqual(32 * MINUTE);
  });

  test.each([
    ['a flat series', flat(40)],
    ['a single outlier', [...flat(20), 500, ...flat(20)]],
    ['a spell that ended', [...flat(20), ...flat(4, 90), ...flat(20)]],
    ['too few points', [1, 1, 1, 9, 9]],
  ])('finds none in %s', (_, values) => {
    expect(findOnset(series(values))).toBeUndefined();
  });

  test('knows from normal time that a series was off from its first point on', () => {
    const off = series([...flat(5), ...flat(10, 50)]);
    expect(findOnset(off, Infinity, { normal: { from: 0, to: 4 * MINUTE } })).toMatchObject({
      at: 5 * MINUTE,
      direction: 1,
    });
    const late = series([...flat(10, 50), ...flat(5)]);
    expect(
      findOnset(late, 9 * MINUTE, { normal: { from: 10 * MINUTE, to: 14 * MINUTE } }),
    ).toMatchObject({
      at: 0,
      direction: 1,
    });
  });

  test('does without a normal time of too few points', () => {
    const values = [...flat(20), ...flat(10, 50)];
    expect(findOnset(series(values), Infinity, { normal: { from: 0, to: MINUTE } })?.at).toBe(
      20 * MINUTE,
    );
  });

  test('passes over points without a value', () => {
    const values = [...flat(20), ...flat(10, 50)].map((value, i) => (i % 4 === 1 ? NaN : value));
    expect(findOnset(series(values))).toMatchObject({ at: 20 * MINUTE, direction: 1 });
    values[3] = Infinity;
    expect(findOnset(series(values))?.at).toBe(20 * MINUTE);
    expect(findOnset(series(flat(30).map(() => NaN)))).toBeUndefined();
  });

  test('begins none after the given time', () => {
    expect(findOnset(series([...flat(20), ...flat(10, 50)]), 19 * MINUTE)).toBeUndefined();
  });
});

describe('saturations', () => {
  const frame = { start: 0, now: 60 * MINUTE, reportedAt: 40 * MINUTE };
  const cpu = (name: string, values: number[]) => ({
    name,
    labels: {},
    node: 'api',
    ...series(values),
  });

  test('finds a resource that is nearly full and usually is not', () => {
    const found = saturations([cpu('cpu_percent', [...flat(40), ...flat(10, 96)])], frame);
    expect(found).toMatchObject([{ node: 'api', resource: 'cpu', usual: 10.1 }]);
  });

  test('reads utilisation as a share of one, too', () => {
    const values = [...flat(40, 0.1), ...flat(10, 0.96)].map((value) => Math.min(1, value));
    expect(saturations([cpu('cpu_utilization', values)], frame)).toMatchObject([{ node: 'api' }]);
  });

  test('passes over points without a value', () => {
    const values = [...flat(40), NaN, ...flat(9, 96)];
    expect(saturations([cpu('cpu_percent', values)], frame)).toMatchObject([{ usual: 10.1 }]);
  });

  test.each([
    ['one that is always full', cpu('cpu_percent', flat(50, 96))],
    ['one that rose a little', cpu('cpu_percent', [...flat(40), ...flat(10, 40)])],
    ['a metric of the machine', cpu('node_cpu_percent', [...flat(40), ...flat(10, 96)])],
    [
      'one that is usually beyond its scale',
      cpu('cpu_percent', [...flat(40, 400), ...flat(10, 4_000)]),
    ],
    ['a metric without a scale', cpu('cpu_seconds', [...flat(40), ...flat(10, 96)])],
  ])('passes over %s', (_, given) => {
    expect(saturations([given], frame)).toEqual([]);
  });
});

describe('attributeOverGraph', () => {
  // web calls api and cache; api calls db. Four intervals, the last two bad.
  const nodes = [
    { id: 'web', dependsOn: ['api', 'cache'] },
    { id: 'api', dependsOn: ['db'] },
    { id: 'db', dependsOn: [] },
    { id: 'cache', dependsOn: [] },
  ];
  const metric = (usual: number, bad: number): NodeMetric => ({
    times: [0, 1, 2, 3],
    values: [usual, usual, bad, bad],
    baseline: Array.from({ length: 20 }, (_, i) => usual * (1 + (i % 5) * 0.01)),
  });
  const rank = (metrics: Record<string, NodeMetric>, requests = 100) =>
    attributeOverGraph(nodes, 'web', 'latency', {
      metric: (node) => metrics[node],
      requests: () => ({
        times: [0, 1, 2, 3],
        values: [requests, requests, requests, requests],
        baseline: [],
      }),
    });

  test('blames the node in which the extra time begins, not those that wait for it', () => {
    const found = rank({
      web: metric(1, 5),
      api: metric(0.8, 4.8),
      db: metric(0.5, 4.5),
      cache: metric(0.01, 0.01),
    });
    expect(found.map(({ node }) => node).slice(0, 2)).toEqual(['db', 'api']);
    expect(found[0]?.own).toBeCloseTo(1, 1);
    expect(found.find(({ node }) => node === 'api')?.own).toBeLessThan(0.1);
  });

  test('does not blame a node that is far off its own usual by a trifle', () => {
    const found = rank({
      web: metric(1, 5),
      api: metric(0.8, 4.8),
      db: metric(0.5, 0.5),
      cache: metric(0.0001, 0.01),
    });
    expect(found[0]?.node).toBe('api');
  });

  test('does not count what was off in the quiet intervals too', () => {
    const off = { ...metric(0.5, 4.5), values: [4.5, 4.5, 4.5, 4.5] };
    const found = rank({
      web: metric(1, 5),
      api: metric(0.8, 4.8),
      db: off,
      cache: metric(0.01, 0.01),
    });
    expect(found[0]?.node).toBe('api');
  });

  test('counts failures for availability, where lower is worse', () => {
    const found = attributeOverGraph(nodes, 'web', 'availability', {
      metric: (node) => (node === 'cache' ? metric(100, 100) : metric(100, 60)),
      requests: () => ({ times: [0, 1, 2, 3], values: [100, 100, 100, 100], baseline: [] }),
    });
    expect(found[0]?.node).toBe('db');
  });

  test('takes the requests of other intervals where those of the bad ones were not recorded', () => {
    const found = attributeOverGraph(nodes, 'web', 'latency', {
      metric: (node) => (node === 'cache' ? metric(0.01, 0.01) : metric(1, 5)),
      requests: () => ({ times: [0, 1], values: [100, 100], baseline: [] }),
    });
    expect(found[0]?.node).toBe('db');
  });

  test('blames the service behind a host if the service was not measured', () => {
    const host = 'payments-1x.elb.example.com';
    const found = attributeOverGraph(
      [
        { id: 'web', dependsOn: [host] },
        { id: host, dependsOn: [] },
        { id: 'payments', dependsOn: [] },
      ],
      'web',
      'latency',
      {
        metric: (node) => (node === 'payments' ? undefined : metric(1, 5)),
        requests: () => ({ times: [0, 1, 2, 3], values: [9, 9, 9, 9], baseline: [] }),
      },
    );
    expect(found.map(({ node }) => node)).toEqual(['payments', host]);
  });

  test('infers that a host stands for the service whose name it shares', () => {
    expect(impliedEdges(['payments-1x.elb.example.com', 'payments', 'orders'])).toEqual([
      ['payments-1x.elb.example.com', 'payments'],
    ]);
  });
});
