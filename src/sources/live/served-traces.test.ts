import { afterEach, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  all,
  describeTraceSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import type { SourceReplay } from '../../../test/support/sources/source-replay.js';
import {
  startJaegerReplay,
  startTempoReplay,
} from '../../../test/support/sources/trace-replays.js';
import type { Span } from '../../domain/telemetry/records.js';
import { jaegerReader } from '../jaeger/jaeger-reader.js';
import { tempoReader } from '../tempo/tempo-reader.js';
import { ServedTraces } from './served-traces.js';

const DAY = 86_400_000;
const never = new AbortController().signal;
const open: SourceReplay[] = [];
afterEach(async () => {
  for (const replay of open.splice(0)) await replay.close();
});

const selectors = new Map(['shop', 'cart'].map((id) => [id, id]));
const times = { window: WINDOW, baseline: { from: WINDOW.from - DAY, to: WINDOW.to - DAY } };
const span = (traceId: string, more: Partial<Span> = {}): Span => ({
  traceId,
  spanId: '1',
  node: 'shop',
  name: 'GET /cart',
  start: T0,
  durationMs: 5,
  attributes: {},
  ...more,
});

describe.each([
  { name: 'Tempo', start: startTempoReplay, reader: tempoReader },
  { name: 'Jaeger', start: startJaegerReplay, reader: jaegerReader },
])('$name', ({ name, start, reader }) => {
  const tracesOf = ({ url }: SourceReplay) => {
    const server = { endpoint: url, egress: anyEgress };
    return new ServedTraces([{ id: 'source', server, selectors, ...reader }], times, (labels) =>
      labels['service.name'] === 'store' ? 'orders-db' : undefined,
    );
  };
  const replayOf = async (spans: readonly Span[]) => {
    const replay = await start(spans);
    open.push(replay);
    return replay;
  };
  const read = async (replay: SourceReplay, node?: string) => {
    const query = { window: { from: 0, to: WINDOW.to }, ...(node !== undefined && { node }) };
    return all(tracesOf(replay).spans(query, never));
  };

  describeTraceSource(`a replayed ${name}`, async (spans) => tracesOf(await replayOf(spans)));

  test('reads failed traces and others, and others of the day before', async () => {
    const failed = Array.from({ length: 30 }, (_, i) => span(`a${i}`, { error: 'timed out' }));
    const well = Array.from({ length: 30 }, (_, i) => span(`b${i}`));
    const before = Array.from({ length: 30 }, (_, i) => span(`c${i}`, { start: T0 - DAY }));
    const found = await read(await replayOf([...well, ...failed, ...before]), 'shop');
    const counted = ['a', 'b', 'c'].map(
      (letter) => found.filter(({ traceId }) => traceId.startsWith(letter)).length,
    );
    expect(counted).toEqual([10, 10, 10]);
  });

  test('reads a trace of several nodes once, and names services that are other nodes', async () => {
    const parts = [
      span('aa'),
      span('aa', { spanId: '2', parentId: '1', node: 'cart' }),
      span('aa', { spanId: '3', parentId: '2', node: 'store' }),
      span('aa', { spanId: '4', parentId: '2', node: 'mail' }),
    ];
    const found = await read(await replayOf(parts));
    expect(found.map(({ spanId, node }) => [spanId, node])).toEqual([
      ['1', 'shop'],
      ['2', 'cart'],
      ['3', 'orders-db'],
      ['4', undefined],
    ]);
  });

  test.each([
    ['a page', '<html>'],
    ['an empty object', '{}'],
    ['another shape', '{"traces":7,"data":7}'],
    ['ids that lead elsewhere', '{"traces":[{"traceID":"../admin"}],"data":[{"traceID":7}]}'],
    ['too many', JSON.stringify(tooMany())],
  ])('fails on hostile answers: %s', async (_, body) => {
    const replay = await replayOf([]);
    replay.answerNext(200, body);
    await expect(read(replay, 'shop')).rejects.toMatchObject({ failure: 'failed' });
    expect(replay.asked.filter(({ url }) => url.pathname.includes('admin'))).toEqual([]);
  });

  test('says that the credential has no right to read', async () => {
    const replay = await replayOf([]);
    replay.answerNext(403, '{}');
    await expect(read(replay, 'shop')).rejects.toMatchObject({ failure: 'refused' });
  });
});

test('Jaeger is asked for fewer traces where they are too large', async () => {
  const replay = await startJaegerReplay([span('aa')]);
  open.push(replay);
  const server = { endpoint: replay.url, egress: anyEgress };
  const traces = new ServedTraces(
    [{ id: 'source', server, selectors, ...jaegerReader }],
    times,
    () => undefined,
  );
  replay.answerNext(200, 'x'.repeat(3 * 2 ** 20));
  expect(await all(traces.spans({ node: 'shop', window: WINDOW }, never))).toHaveLength(1);
  const limits = replay.asked.map(({ url }) => url.searchParams.get('limit'));
  expect(limits).toEqual(['10', '2', '10']);
});

test('Tempo has ids as bytes, and leaves off traces that are gone or too large', async () => {
  const id = '0af7651916cd43dd8448eb211c80319c';
  const replay = await startTempoReplay([span(id, { spanId: 'b7ad6b7169203331' })]);
  open.push(replay);
  const server = { endpoint: replay.url, egress: anyEgress };
  const traces = new ServedTraces(
    [{ id: 'source', server, selectors, ...tempoReader }],
    times,
    () => undefined,
  );
  const reading = () => all(traces.spans({ node: 'shop', window: WINDOW }, never));
  expect(await reading()).toMatchObject([{ traceId: id, spanId: 'b7ad6b7169203331' }]);
  for (const [status, body] of [
    [404, '{}'],
    [200, 'x'.repeat(3 * 2 ** 20)],
  ] as const) {
    replay.answerNext(200, '{"metrics":{}}');
    replay.answerNext(200, JSON.stringify({ traces: [{ traceID: 'abc' }] }));
    replay.answerNext(status, body);
    expect(await reading()).toEqual([]);
  }
});

function tooMany() {
  const all = Array.from({ length: 1_001 }, () => ({ traceID: 'aa' }));
  return { traces: all, data: all };
}
