import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { startElasticsearchReplay } from '../../../test/support/sources/elasticsearch-replay.js';
import {
  all,
  describeLogSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import type { SourceReplay } from '../../../test/support/sources/source-replay.js';
import type { LogRecord } from '../../domain/telemetry/records.js';
import { listedServer } from '../live/listed-server.js';
import { ServedLogs } from '../live/served-logs.js';
import { elasticsearchReader } from './elasticsearch-reader.js';

const never = new AbortController().signal;
const open: SourceReplay[] = [];
afterEach(async () => {
  for (const replay of open.splice(0)) await replay.close();
});

const selectors = new Map(['shop', 'cart'].map((id) => [id, `service=${id}`]));
const logsOf = ({ url }: SourceReplay) => {
  const listed = {
    id: 'logs',
    kind: 'elasticsearch' as const,
    endpoint: `${url}/`,
    indices: 'logs-*,app',
    auth: { apiKey: '${env:KEY}' },
  };
  const server = listedServer(listed, { egress: anyEgress, secretOf: () => 'key-123456' });
  return new ServedLogs([{ id: 'source', server, selectors, ...elasticsearchReader }], WINDOW);
};
async function replayOf(records: readonly LogRecord[]): Promise<SourceReplay> {
  const replay = await startElasticsearchReplay(records);
  open.push(replay);
  return replay;
}
const line = (i: number, body: string, severity = 'info'): LogRecord => ({
  at: T0 + i * 1_000,
  severity,
  body,
  labels: { service: 'shop' },
});
const search = (replay: SourceReplay, text?: string) =>
  all(
    logsOf(replay).records(
      { node: 'shop', window: WINDOW, ...(text !== undefined && { text }) },
      never,
    ),
  );

describeLogSource('a replayed Elasticsearch', async (records) => logsOf(await replayOf(records)));

test('searches the indices of the file with the key of the file, newest line first', async () => {
  const replay = await replayOf(Array.from({ length: 150 }, (_, i) => line(i, `line ${i}`)));
  const found = await search(replay);
  expect(found.map(({ body }) => body).slice(0, 2)).toEqual(['line 149', 'line 148']);
  expect(found).toHaveLength(150);
  expect(replay.asked.map(({ url, headers }) => [url.pathname, headers.authorization])).toEqual([
    ['/logs-*,app/_search', 'ApiKey key-123456'],
    ['/logs-*,app/_search', 'ApiKey key-123456'],
  ]);
});

test('finds the beginning of a word, and no line without the text', async () => {
  const replay = await replayOf([line(1, 'connection refused'), line(2, 'connect: refused')]);
  expect(await search(replay, 'Connection ref')).toMatchObject([{ body: 'connection refused' }]);
  expect(await search(replay, 'connect refused')).toEqual([]);
});

test('sends values of a selector as values', async () => {
  const replay = await replayOf([]);
  const server = { endpoint: replay.url, egress: anyEgress };
  const own = new Map([['shop', 'service.name=a"b, env = {"match_all":{}}']]);
  const logs = new ServedLogs(
    [{ id: 'source', server, selectors: own, ...elasticsearchReader }],
    WINDOW,
  );
  await all(logs.records({ node: 'shop', window: WINDOW }, never));
  const { query } = JSON.parse(replay.asked[0]?.body ?? '') as {
    query: { bool: { filter: object[] } };
  };
  expect(query.bool.filter.slice(1)).toEqual([
    { term: { 'service.name': 'a"b' } },
    { term: { env: '{"match_all":{}}' } },
  ]);
});

test('samples what looks like a failure by its level or its words', async () => {
  const replay = await replayOf([
    line(1, 'all is well'),
    line(2, 'it is slow', 'WARN'),
    line(3, 'login failed'),
  ]);
  const found = await all(logsOf(replay).records({ window: WINDOW }, never));
  expect(found.map(({ body }) => body)).toEqual(['login failed', 'it is slow', 'all is well']);
});

const hit = (_source: unknown) => JSON.stringify({ hits: { hits: [{ _source }] } });

test.each([
  ['OpenTelemetry', { body: { text: 'broken' }, severity_text: 'ERROR', trace_id: 'aa' }],
  ['ECS', { message: 'broken', log: { level: 'ERROR' }, trace: { id: 'aa' } }],
  ['flat fields', { log: 'broken', level: 'ERROR', 'trace.id': 'aa' }],
])('reads a record of %s', async (_, fields) => {
  const replay = await replayOf([]);
  replay.answerNext(200, hit({ '@timestamp': '2026-01-01T00:01:00Z', ...fields }));
  expect(await search(replay)).toMatchObject([
    { at: T0 + 60_000, body: 'broken', severity: 'ERROR', traceId: 'aa', node: 'shop' },
  ]);
});

test.each([
  ['a page', '<html>'],
  ['no hits', '{"hits":{}}'],
  ['hits without a source', '{"hits":{"hits":[{}]}}'],
  ['too many', JSON.stringify({ hits: { hits: Array(1_001).fill({ _source: {} }) } })],
])('fails on hostile answers: %s', async (_, body) => {
  const replay = await replayOf([]);
  replay.answerNext(200, body);
  await expect(search(replay)).rejects.toMatchObject({ failure: 'failed' });
});

test('drops records without a time or a text, and those outside of the window', async () => {
  const replay = await replayOf([]);
  const sources = [{}, { message: 'x' }, { message: 'x', '@timestamp': '1970-01-01T00:00:00Z' }];
  const hits = sources.map((_source) => ({ _source }));
  replay.answerNext(200, JSON.stringify({ hits: { hits } }));
  expect(await search(replay)).toEqual([]);
});

test('says that the credential has no right to read, and what the server does not understand', async () => {
  const replay = await replayOf([]);
  replay.answerNext(403, '{"error":{"type":"security_exception"}}');
  await expect(search(replay)).rejects.toMatchObject({ failure: 'refused' });
  replay.answerNext(400, '{"error":{"type":"parse","reason":"unknown field [x]"},"status":400}');
  await expect(search(replay)).rejects.toThrow(/status 400: unknown field \[x\]/);
});
