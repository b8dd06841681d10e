import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { startLokiReplay } from '../../../test/support/sources/loki-replay.js';
import {
  all,
  describeLogSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import type { SourceReplay } from '../../../test/support/sources/source-replay.js';
import type { LogRecord } from '../../domain/telemetry/records.js';
import { ServedLogs } from '../live/served-logs.js';
import { lokiReader } from './loki-reader.js';

const never = new AbortController().signal;
const open: SourceReplay[] = [];
afterEach(async () => {
  for (const replay of open.splice(0)) await replay.close();
});

const selectors = new Map(['shop', 'cart'].map((id) => [id, `{service="${id}"}`]));
const logsOf = ({ url }: SourceReplay) => {
  const server = { endpoint: url, egress: anyEgress, headers: { 'x-scope-orgid': 'team' } };
  return new ServedLogs([{ id: 'source', server, selectors, ...lokiReader }], WINDOW);
};
async function replayOf(records: readonly LogRecord[]): Promise<SourceReplay> {
  const replay = await startLokiReplay(records);
  open.push(replay);
  return replay;
}
const lines = (count: number, everyMs: number, body = (i: number) => `line ${i}`): LogRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    at: T0 + i * everyMs,
    severity: '',
    body: body(i),
    labels: { service: 'shop' },
  }));
const search = (replay: SourceReplay, text?: string) =>
  all(
    logsOf(replay).records(
      { node: 'shop', window: WINDOW, ...(text !== undefined && { text }) },
      never,
    ),
  );

describeLogSource('a replayed Loki', async (records) => logsOf(await replayOf(records)));

test('searches from the newest line back, a page at a time, for its tenant', async () => {
  const replay = await replayOf(lines(250, 1_000));
  const found = await search(replay);
  expect(found.map(({ body }) => body)).toEqual(
    lines(250, 1_000)
      .map(({ body }) => body)
      .reverse(),
  );
  expect(replay.asked.map(({ url }) => url.pathname.split('/').at(-1))).toEqual([
    'stats',
    'query_range',
    'query_range',
    'query_range',
  ]);
  expect(replay.asked.map(({ headers }) => headers['x-scope-orgid'])).toEqual(
    Array.from({ length: 4 }, () => 'team'),
  );
});

test('ends though many lines are of one moment', async () => {
  expect(await search(await replayOf(lines(150, 0)))).toHaveLength(100);
});

test('takes a text as it is, and not as an expression', async () => {
  const replay = await replayOf(lines(2, 1, (i) => (i === 0 ? 'a "b" (c+' : 'a b c')));
  expect(await search(replay, 'A "B" (c+')).toMatchObject([{ body: 'a "b" (c+' }]);
});

test('samples each quarter of an hour for a diagnosis, what looks like a failure first', async () => {
  const burst = lines(2_000, 1_000, (i) => (i % 2 === 0 ? `error ${i}` : `ok ${i}`));
  const replay = await replayOf(burst);
  const found = await all(logsOf(replay).records({ window: WINDOW }, never));
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const from = T0 + quarter * 15 * 60_000;
    const own = found.filter(({ at }) => at >= from && at < from + 15 * 60_000);
    return [/error/, /ok/].map((word) => own.filter(({ body }) => word.test(body)).length);
  });
  expect(quarters).toEqual([
    [250, 100],
    [250, 100],
    [100, 100],
    [0, 0],
  ]);
  // Its index, and two requests for each quarter, of each node.
  expect(replay.asked).toHaveLength(18);
});

test('does not make the server read more than 1 GiB', async () => {
  const replay = await replayOf(lines(1, 1));
  replay.answerNext(200, '{"bytes":3221225472}');
  await expect(search(replay)).rejects.toThrow(/has 3.0 GiB of logs in this time: narrow it/);
  expect(replay.asked).toHaveLength(1);
});

test('asks for fewer lines where an answer is too large, and reads a server without statistics', async () => {
  const replay = await replayOf(lines(100, 1_000));
  replay.answerNext(404, '{}');
  replay.answerNext(200, 'x'.repeat(3 * 2 ** 20));
  expect(await search(replay)).toHaveLength(13);
  expect(replay.asked.map(({ url }) => url.searchParams.get('limit'))).toEqual([null, '100', '13']);
});

test.each([
  ['no streams', '{"status":"success","data":{"resultType":"matrix","result":[]}}'],
  ['a time that is none', streams([['soon', 'x']])],
  ['a line that is none', streams([['1', 7]])],
  ['too many streams', JSON.stringify({ status: 'success', data: many() })],
  ['text', '<html>'],
])('fails on hostile answers: %s', async (_, body) => {
  const replay = await replayOf([]);
  replay.answerNext(200, '{}');
  replay.answerNext(200, body);
  await expect(search(replay)).rejects.toMatchObject({ failure: 'failed' });
});

test('drops lines outside of the window, whatever the server sends', async () => {
  const replay = await replayOf([]);
  replay.answerNext(200, '{}');
  replay.answerNext(200, streams([['1', 'long ago']]));
  expect(await search(replay)).toEqual([]);
});

test.each([401, 403])('says that the credential has no right to read: %i', async (status) => {
  const replay = await replayOf([]);
  replay.answerNext(status, 'no org id');
  await expect(search(replay)).rejects.toMatchObject({ failure: 'refused' });
});

function streams(values: unknown[]): string {
  return JSON.stringify({
    status: 'success',
    data: { resultType: 'streams', result: [{ stream: {}, values }] },
  });
}

function many() {
  const result = Array.from({ length: 5_001 }, () => ({ stream: {}, values: [] }));
  return { resultType: 'streams', result };
}
