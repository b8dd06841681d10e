import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { closedPort, contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { prometheusMetrics } from './prometheus-metrics.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const serve = (handler: RequestListener) => loopback.open(createServer(handler));
const read = async (endpoint: string, attributes: JsonObject = {}, names?: string[]) =>
  expectSound(
    await prometheusMetrics.run(
      { node: 'target', ...(names && { names }) },
      contextOf(nodeOf('prometheus', endpoint, { intervalMs: 100, ...attributes })),
    ),
  );

/** Errors rise by 5 at each read, the queue stays at 95, jobs were counted from anew. */
async function shop(): Promise<string> {
  let reads = 0;
  const port = await serve((_, response) => {
    reads += 1;
    response.end(
      `# TYPE errors_total counter\nerrors_total{code="500"} ${reads * 5}\nerrors_total{code="400"} 1\n# TYPE queue gauge\nqueue 95\n` +
        `# TYPE jobs_total counter\njobs_total ${reads === 1 ? 100 : 7}\nlimit +Inf\n`,
    );
  });
  return `http://127.0.0.1:${port}/metrics`;
}

test.each([
  ['prometheus', 'http://127.0.0.1/metrics', {}, true],
  ['service', 'http://127.0.0.1/', { metricsPath: '/metrics' }, true],
  ['service', 'http://127.0.0.1/', {}, false],
  ['prometheus', '127.0.0.1:9090', {}, false],
  ['prometheus', undefined, {}, false],
])('applies to %s %s %j: %s', (kind, endpoint, attributes, expected) => {
  expect(prometheusMetrics.appliesTo(nodeOf(kind, endpoint, attributes as JsonObject))).toBe(
    expected,
  );
});

test('values and their change, with resets of counters', async () => {
  const result = await read(await shop());
  expect(result).toMatchObject({
    status: 'ok',
    summary: '5 series, no thresholds set: nothing was judged',
    issues: [{ severity: 'info', title: expect.stringContaining('nothing was judged') as unknown }],
    measurements: { series_count: 5, series_left_off: 0, interval_ms: 100 },
  });
  expect(result.measurements['series']).toEqual([
    { series: 'errors_total{code="500"}', value: 10, change: 5 },
    { series: 'errors_total{code="400"}', value: 1, change: 0 },
    { series: 'queue', value: 95, change: 0 },
    { series: 'jobs_total', value: 7, change: 7, reset: true },
    { series: 'limit', value: 'Infinity', change: 'NaN' },
  ]);
});

test('only the metrics asked for', async () => {
  const { measurements } = await read(await shop(), {}, ['jobs*', 'queue']);
  expect((measurements['series'] as JsonObject[]).map(({ series }) => series)).toEqual([
    'queue',
    'jobs_total',
  ]);
});

test('what is asked for takes no place from what is judged', async () => {
  const others = Array.from({ length: 6_000 }, (_, i) => `other{i="${i}"} ${i}`).join('\n');
  const page = `queue{name="a"} 1\n${others}\nqueue{name="z"} 9999\n`;
  const port = await serve((_, response) => void response.end(page));
  const metrics = { queue: { max: 100, severity: 'critical' } };
  const result = await read(`http://127.0.0.1:${port}/metrics`, { metrics }, ['*']);
  expect(result.issues).toMatchObject([{ severity: 'critical' }]);
  expect(result).not.toHaveProperty('partial');
});

test('a page with more series to judge than are kept is measured in part', async () => {
  const page = Array.from({ length: 5_001 }, (_, i) => `queue{i="${i}"} 1`).join('\n');
  const port = await serve((_, response) => void response.end(page));
  const metrics = { queue: { max: 100, severity: 'critical' } };
  expect(await read(`http://127.0.0.1:${port}/metrics`, { metrics })).toMatchObject({
    partial: true,
    issues: [],
    measurements: { series_not_read: 1 },
  });
});

test('thresholds', async () => {
  const result = await read(await shop(), {
    metrics: {
      'errors_total{code="500"}': { maxIncrease: 2, severity: 'critical', symptom: 'erroring' },
      queue: { max: 100 },
      jobs_total: { min: 10 },
      absent: { max: 1 },
    },
  });
  expect(result).toMatchObject({
    status: 'failed',
    issues: [
      {
        severity: 'critical',
        symptom: 'erroring',
        title: 'errors_total{code="500"} rose by 5 in 100 ms',
        detail: 'From 5 to 10; expected a rise of at most 2.',
      },
      {
        severity: 'warning',
        symptom: 'advisory',
        title: 'jobs_total is 7',
        detail: 'Expected at least 10.',
      },
      { severity: 'warning', symptom: 'invalid', title: 'metric absent is missing' },
    ],
    near: [{ metric: 'queue', value: 95, threshold: 100 }],
  });
});

test.each([
  [{ metrics: { x: { most: 1 } } }, /attribute metrics of node target must be/],
  [{ metrics: { 'x{': { max: 1 } } }, /is no metric name/],
  [{ metricsPath: '//evil.example/' }, /attribute metricsPath/],
])('refuses %j', async (attributes, message) => {
  await expect(read('http://127.0.0.1:1/', attributes as JsonObject)).rejects.toThrow(message);
});

test('metrics that want a credential make no node unhealthy that was given none', async () => {
  const port = await serve((_, response) => response.writeHead(401).end());
  await expect(read(`http://127.0.0.1:${port}/`)).rejects.toThrow('without a credential');
  expect((await read(`http://user:wrong@127.0.0.1:${port}/`)).issues).toMatchObject([
    { severity: 'critical', title: 'metrics answer 401' },
  ]);
});

test('judges the last page that was read, and misses nothing in a part of it', async () => {
  const filler = (bytes: number) => `${'# filler\n'.repeat(bytes / 9)}`;
  const late = 'last_one 3\n';
  const pages = [`a 1\n${filler(3_000_000)}${late}`, `a 1\n${late}`];
  const alternating = (order: readonly number[]) => {
    let reads = 0;
    return serve((_, response) => response.end(pages[order[reads++] ?? 0]));
  };
  const metrics = { last_one: { max: 5 } };
  const whole = await read(`http://127.0.0.1:${await alternating([0, 1])}/`, { metrics });
  expect(whole).toMatchObject({ status: 'ok', issues: [] });
  expect(whole).not.toHaveProperty('partial');
  expect(whole).not.toHaveProperty('not_read');
  expect(whole.measurements).not.toHaveProperty('cut_at_bytes');
  const cut = await read(`http://127.0.0.1:${await alternating([1, 0])}/`, { metrics });
  expect(cut).toMatchObject({
    status: 'ok',
    partial: true,
    measurements: { cut_at_bytes: 2 * 1024 * 1024 },
    issues: [{ severity: 'info', title: expect.stringContaining('last_one is not in') as unknown }],
    not_read: expect.stringContaining('truncated') as unknown,
  });
});

test('no server, a wrong status, no metrics', async () => {
  expect((await read(`http://127.0.0.1:${await closedPort()}/`)).issues).toMatchObject([
    { symptom: 'unreachable' },
  ]);
  const broken = await serve((_, response) => response.writeHead(500).end('boom'));
  expect(await read(`http://127.0.0.1:${broken}/`)).toMatchObject({
    issues: [{ symptom: 'erroring', title: 'metrics answer 500' }],
    measurements: { body_excerpt: 'boom' },
  });
  const page = await serve((_, response) => response.end('<html>hello</html>'));
  expect((await read(`http://127.0.0.1:${page}/`)).issues).toMatchObject([
    { symptom: 'invalid', title: 'the answer holds no Prometheus metrics' },
  ]);
});

test('is bounded, however many series and issues there are', async () => {
  const lines = Array.from(
    { length: 60_000 },
    (_, i) => `a_rather_long_metric_name{label="${'v'.repeat(30)}${i}"} ${i}`,
  ).join('\n');
  const port = await serve((_, response) => response.end(lines));
  const { measurements, issues } = await read(`http://127.0.0.1:${port}/`, {
    metrics: { a_rather_long_metric_name: { max: -1 } },
  });
  expect(measurements['cut_at_bytes']).toBe(2 * 1024 * 1024);
  expect(measurements['series']).toHaveLength(40);
  expect(issues).toHaveLength(11);
  expect(issues.at(-1)?.title).toMatch(/^\d+ more issues are not shown$/);
});

test('stops between the two reads when its signal fires', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const node = nodeOf('prometheus', await shop(), { intervalMs: 5_000 });
  setTimeout(() => controller.abort(reason), 100);
  await expect(
    prometheusMetrics.run({ node: 'target' }, contextOf(node, { signal: controller.signal })),
  ).rejects.toBe(reason);
});

test('a metric without a value is not within its threshold', async () => {
  const port = await serve((_, response) => response.end('queue NaN\n'));
  for (const limits of [{ max: 10 }, { min: 1 }, { maxIncrease: 5 }])
    expect(
      await read(`http://127.0.0.1:${port}/metrics`, { metrics: { queue: limits } }),
    ).toMatchObject({
      status: 'degraded',
      summary: 'queue has no value (NaN)',
      issues: [{ severity: 'warning', symptom: 'invalid' }],
    });
});

test('a page that is cut in its comments is no wrong address, and its metrics are not judged', async () => {
  const serving = (line: string) =>
    serve((_, response) => response.end(`${line.repeat(50_000)}queue 5\n`));
  const look = async (line: string) =>
    read(`http://127.0.0.1:${await serving(line)}/metrics`, { metrics: { queue: { max: 10 } } });
  expect(await look(`# HELP queue ${'x'.repeat(40)}\n`)).toMatchObject({
    status: 'ok',
    partial: true,
    summary: '0 series, metric queue is not in the part of the page that was read',
  });
  expect((await look(`<p>${'x'.repeat(50)}</p>\n`)).summary).toBe(
    'the answer holds no Prometheus metrics',
  );
});
