import { afterEach, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import { longestTurn } from '../../../test/support/processes/longest-turn.js';
import { Loopback } from '../../../test/support/loopback.js';
import { readClusterState } from '../elasticsearch/read-cluster-state.js';
import { lokiReader } from '../loki/loki-reader.js';
import { seriesIn } from '../recording/parse-metrics.js';
import { spansIn } from '../recording/parse-traces.js';
import { readCluster } from '../kubernetes/read-cluster.js';
import { askSource, MOST_BYTES } from './source-client.js';
import type { SourceServer } from './source-server.js';

const loopback = new Loopback();
afterEach(() => loopback.close());
const live = new AbortController().signal;
const MOST_STALL_MS = 100;

/** A server that gives each path the body of the first key that it contains. */
async function serverOf(bodies: Readonly<Record<string, string>>): Promise<SourceServer> {
  const server = createServer(({ url = '' }, response) => {
    const [, body = '{}'] = Object.entries(bodies).find(([path]) => url.includes(path)) ?? [];
    response.end(body);
  });
  const port = await loopback.open(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    egress: {
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      enter: async () => async () => undefined,
    },
  };
}

const outcomeOf = (work: Promise<unknown>) =>
  longestTurn(() => work.catch((error: unknown) => (error as Error).message));
const listOf = (item: string, count = Math.floor((MOST_BYTES - 100) / (item.length + 1))) =>
  `[${Array<string>(count).fill(item).join(',')}]`;

it.each([
  ['deep', '['.repeat(MOST_BYTES / 2) + ']'.repeat(MOST_BYTES / 2), 'deeper than 64 levels'],
  ['long', listOf('1'), 'more than 20000 entries'],
  ['of many short lists', listOf(listOf('1', 100)), 'more than 400000 values'],
])('refuses an answer that is %s without a stall', async (_, body, why) => {
  const server = await serverOf({ '/': body });
  const { ms, result } = await outcomeOf(askSource(server, { path: '/' }, live));
  expect(result).toContain(why);
  expect(ms).toBeLessThan(MOST_STALL_MS);
});

it('reads a range of 2 MiB of short points', async () => {
  const body = `{"values":${listOf(listOf('[1700000000,"0"]', 120), 900)}}`;
  const value = await askSource(await serverOf({ '/': body }), { path: '/' }, live);
  expect((value as { values: unknown[][] }).values.flat()).toHaveLength(108_000);
});

it.each([
  ['numbers', '1', 0],
  ['objects', '{"metadata":{"name":"a"}}', 500],
])('reads at most a page of a Kubernetes list of %s without a stall', async (_, item, read) => {
  const body = `{"metadata":{},"items":${listOf(item, 19_999)}}`;
  const server = await serverOf({ '/apis?': '', '/pods': body, '/': '{"groups":[],"items":[]}' });
  const { ms, result } = await outcomeOf(
    readCluster({ server, namespaces: ['shop'] }, live).then(({ objects, incomplete }) => ({
      objects: objects.length,
      incomplete,
    })),
  );
  expect(result).toEqual({ objects: read, incomplete: true });
  expect(ms).toBeLessThan(MOST_STALL_MS);
});

it('refuses members of Elasticsearch that are none without a stall', async () => {
  const nodes = Array.from({ length: 19_999 }, (_, i) => `"${i}":1`).join(',');
  const server = await serverOf({
    '/_cluster/health': '{"cluster_name":"a","status":"green"}',
    '/_nodes/stats': `{"nodes":{${nodes}}}`,
  });
  const { ms, result } = await outcomeOf(readClusterState(server, live, 0));
  expect(result).toContain('not of the API of Elasticsearch');
  expect(ms).toBeLessThan(MOST_STALL_MS);
});

const badLabels = Array.from({ length: 15_000 }, (_, i) => `"${i}":1`).join(',');
it.each([
  ['labels', listOf(`{"stream":{${badLabels}},"values":[]}`, 10)],
  ['lines', `[{"stream":{},"values":${listOf('1', 19_999)}}]`],
])('refuses %s of Loki that are none without a stall', async (_, result) => {
  const body = `{"status":"success","data":{"resultType":"streams","result":${result}}}`;
  const server = await serverOf({ '/': body });
  const question = { selector: '{a="b"}', window: { from: 0, to: 1 }, most: 100 };
  const { ms, result: why } = await outcomeOf(lokiReader.read(server, question, live));
  expect(why).toContain('no streams of the Loki HTTP API');
  expect(ms).toBeLessThan(MOST_STALL_MS);
});

const wrong = Array<unknown>(19_999).fill({});
it.each<[string, (of: unknown[]) => unknown[]]>([
  ['spans of OTLP', (spans) => spansIn({ resourceSpans: [{ scopeSpans: [{ spans }] }] })],
  ['spans of Jaeger', (spans) => spansIn({ data: [{ traceID: 'a', processes: {}, spans }] })],
  ['points', (values) => seriesIn({ metric: {}, values })],
])('reads no %s of a long list of faults, without a stall', async (_, read) => {
  // The first validation also compiles the schema, whatever is validated.
  read([{}]);
  const { ms, result } = await longestTurn(async () => read(wrong));
  expect(result).toEqual([]);
  expect(ms).toBeLessThan(MOST_STALL_MS);
});
