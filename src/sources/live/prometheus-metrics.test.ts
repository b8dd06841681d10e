import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  hasPrometheus,
  startPrometheus,
} from '../../../test/support/programs/prometheus-program.js';
import {
  startPrometheusReplay,
  type PrometheusReplay,
} from '../../../test/support/sources/prometheus-replay.js';
import {
  all,
  describeMetricSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import type { Series } from '../../domain/telemetry/records.js';
import type { SourceServer } from '../http/source-server.js';
import { PrometheusMetrics } from './prometheus-metrics.js';

const live = new AbortController().signal;
const open: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of open) await close();
});

const selectors = new Map(['shop', 'cart'].map((id) => [id, `service="${id}"`]));
const sourceAt = (endpoint: string, more: Partial<SourceServer> = {}) =>
  new PrometheusMetrics(
    [{ id: 'source', server: { endpoint, egress: anyEgress, ...more }, selectors }],
    [WINDOW],
  );

async function replayOf(series: readonly Series[]): Promise<PrometheusReplay> {
  const replay = await startPrometheusReplay(series);
  open.push(replay.close);
  return replay;
}

describeMetricSource('a replayed Prometheus', async (series) =>
  sourceAt((await replayOf(series)).url),
);

// Without Debian's package `prometheus` the replay above has to do.
if (hasPrometheus()) {
  const started = new Map<string, Promise<string>>();
  const start = async (series: readonly Series[]) => {
    const { url, stop } = await startPrometheus(series);
    open.push(stop);
    return url;
  };
  describeMetricSource('a real Prometheus', async (series) => {
    const key = JSON.stringify(series);
    const url = started.get(key) ?? start(series);
    started.set(key, url);
    return sourceAt(await url);
  });
}

const series = (name: string, values: number[]): Series => ({
  name,
  labels: { service: 'shop' },
  node: 'shop',
  values,
  times: values.map((_, i) => T0 + i * 60_000),
});
const read = async (source: PrometheusMetrics) =>
  all(source.series({ node: 'shop', window: WINDOW }, live));

describe('metrics of Prometheus', () => {
  test('counters are their growth per second, also over a reset', async () => {
    const { url } = await replayOf([series('orders_total', [0, 60, 180, 30])]);
    expect(await read(sourceAt(url))).toMatchObject([
      { name: 'orders_total', labels: { growth: 'per_second' }, values: [1, 2, 0.5] },
    ]);
  });

  test('no series is no data: it yields none', async () => {
    const { url } = await replayOf([]);
    expect(await read(sourceAt(url))).toEqual([]);
  });

  test('buckets of histograms are not asked for', async () => {
    const { url } = await replayOf([
      series('latency_bucket', [1, 2]),
      series('latency_max', [1, 2]),
    ]);
    expect((await read(sourceAt(url))).map(({ name }) => name)).toEqual(['latency_max']);
  });

  test('a node has one request for each window, and at most 120 points are asked for', async () => {
    const replay = await replayOf([series('up', [1, 1])]);
    await read(sourceAt(replay.url));
    expect(replay.asked).toHaveLength(1);
    const [{ form }] = replay.asked as [PrometheusReplay['asked'][number]];
    const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name)));
    expect(((end ?? 0) - (start ?? 0)) / (step ?? 1)).toBeLessThanOrEqual(120);
  });

  test('the points have equal times if the same is asked a moment later', async () => {
    const replay = await replayOf([series('up', [1, 1])]);
    for (const window of [WINDOW, { from: WINDOW.from + 4_321, to: WINDOW.to + 4_321 }]) {
      const source = new PrometheusMetrics(
        [{ id: 'source', server: { endpoint: replay.url, egress: anyEgress }, selectors }],
        [window],
      );
      await all(source.series({ node: 'shop', window }, live));
    }
    const grids = replay.asked.map(({ form }) => [
      Number(form.get('start')),
      Number(form.get('step')),
    ]);
    expect(grids).toHaveLength(2);
    for (const [start = NaN, step = NaN] of grids) expect(start % step).toBe(0);
  });

  test('the credential is sent, and read for each request', async () => {
    const replay = await replayOf([]);
    let count = 0;
    const authorization = () => Promise.resolve(`Bearer token-${++count}`);
    const source = sourceAt(replay.url, { authorization });
    await read(source);
    await read(source);
    expect(replay.asked.map((each) => each.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test.each([
    [
      'no credential',
      401,
      '',
      /requires a credential, and SOURCES_FILE lists none for it \(status 401\)/,
    ],
    [
      'a fault of the query',
      400,
      '{"status":"error","errorType":"bad_data","error":"parse error"}',
      /bad_data: parse error/,
    ],
    ['a page', 200, '<html>', /no JSON/],
    [
      'a vector',
      200,
      '{"status":"success","data":{"resultType":"vector","result":[]}}',
      /not a matrix/,
    ],
    [
      'a result of something else',
      200,
      '{"status":"success","data":{"resultType":"matrix","result":[{"metric":5,"values":"x"}]}}',
      /not a matrix/,
    ],
    ['a redirect', 302, '{}', /status 302/],
    ['a large answer', 200, `"${'x'.repeat(3 * 2 ** 20)}"`, /larger than 2 MiB/],
  ])('fails with what the server says: %s', async (_, status, body, message) => {
    const replay = await replayOf([]);
    replay.answerNext(status, body);
    await expect(read(sourceAt(replay.url))).rejects.toThrow(message);
  });

  test('waits once where the server asks for a short pause', async () => {
    const replay = await replayOf([series('up', [1])]);
    replay.answerNext(429, '{}', { 'retry-after': '0' });
    expect(await read(sourceAt(replay.url))).toHaveLength(1);
    replay.answerNext(503, '{}', { 'retry-after': '600' });
    await expect(read(sourceAt(replay.url))).rejects.toThrow(/status 503/);
  });

  test('M3: the series of all nodes are read over one connection, which has a place', async () => {
    const replay = await replayOf([series('up', [1, 1])]);
    let places = 0;
    const enter = () => {
      places += 1;
      return Promise.resolve(() => Promise.resolve(void (places -= 1)));
    };
    const source = sourceAt(replay.url, { egress: { ...anyEgress, enter } });
    const answer = source.series({ window: WINDOW }, live);
    if (answer.kind !== 'records') throw new Error(answer.reason);
    for await (const each of answer.records) {
      expect([each.name, places]).toEqual(['up', 1]);
      break;
    }
    expect(places).toBe(0);
    expect(replay.asked).toHaveLength(1);
  });

  test('does not connect where it may not', async () => {
    const replay = await replayOf([]);
    const resolve = () => Promise.reject(new Error('10.0.0.0/8 is denied'));
    const egress = { ...anyEgress, resolve };
    await expect(read(sourceAt(replay.url, { egress }))).rejects.toThrow('10.0.0.0/8 is denied');
    expect(replay.asked).toEqual([]);
  });

  test('says which server did not answer in time', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    open.push(async () => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const source = sourceAt(`http://127.0.0.1:${port}`, { timeoutMs: 20 });
    await expect(read(source)).rejects.toThrow(/no answer within 20 ms/);
  });
});

describe('expressions', () => {
  const evaluate = (url: string, ...expressions: string[]) =>
    sourceAt(url).evaluate({ node: 'shop', expressions }, live);
  const vector = (value: string) =>
    JSON.stringify({
      status: 'success',
      data: { resultType: 'vector', result: [{ metric: { job: 'a' }, value: [1, value] }] },
    });

  test('fail where the result has what is no sample', async () => {
    const replay = await replayOf([]);
    replay.answerNext(200, '{"status":"success","data":{"resultType":"vector","result":[7]}}');
    await expect(evaluate(replay.url, 'up{$S}')).rejects.toThrow(/not a result of the Prometheus/);
  });

  test('are computed with the matchers of the node', async () => {
    const replay = await replayOf([]);
    replay.answerNext(200, vector('0.5'));
    replay.answerNext(200, vector('+Inf'));
    expect(await evaluate(replay.url, 'up{$S}', 'down{$S,a="b"}')).toEqual({
      samples: [[{ labels: { job: 'a' }, value: 0.5 }], [{ labels: { job: 'a' }, value: NaN }]],
    });
    expect(replay.asked.map(({ form }) => form.get('query'))).toEqual([
      'up{service="shop"}',
      'down{service="shop",a="b"}',
    ]);
  });

  test('are computed by each server that the node selects from', async () => {
    const replays = [await replayOf([]), await replayOf([])];
    replays.forEach((replay, index) => replay.answerNext(200, vector(`${index}`)));
    const targets = replays.map(({ url }, index) => ({
      id: `prom-${index}`,
      server: { endpoint: url, egress: anyEgress },
      selectors,
    }));
    const both = new PrometheusMetrics(targets, [WINDOW]);
    expect(await both.evaluate({ node: 'shop', expressions: ['up{$S}'] }, live)).toEqual({
      samples: [[0, 1].map((value) => ({ labels: { job: 'a' }, value }))],
    });
    replays[0]?.answerNext(403, '{}');
    replays[1]?.answerNext(200, vector('1'));
    expect(await both.evaluate({ node: 'shop', expressions: ['up{$S}'] }, live)).toMatchObject({
      samples: [[{ value: 1 }]],
      unread: {
        failure: 'refused',
        message: expect.stringContaining('source prom-0: ') as unknown,
      },
    });
  });

  test('that cannot be computed yield nothing, other errors reject', async () => {
    const replay = await replayOf([]);
    replay.answerNext(422, '{"status":"error","errorType":"execution","error":"many-to-many"}');
    expect(await evaluate(replay.url, 'a{$S}')).toEqual({ samples: [[]] });
    replay.answerNext(403, '{}');
    await expect(evaluate(replay.url, 'a{$S}')).rejects.toMatchObject({ failure: 'refused' });
  });

  test('of a node that selects nothing are not computed', async () => {
    const { url } = await replayOf([]);
    expect(
      await sourceAt(url).evaluate({ node: 'none', expressions: ['a'] }, live),
    ).toBeUndefined();
  });
});
