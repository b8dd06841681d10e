import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { closedPort, contextOf, nodeOf } from '../../../test/support/loopback.js';
import { startReplay, type SourceReplay } from '../../../test/support/sources/source-replay.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { elasticsearchInspect } from './elasticsearch-inspect.js';

let replay: SourceReplay | undefined;
afterEach(async () => {
  await replay?.close();
  replay = undefined;
});

const GREEN = {
  cluster_name: 'shop',
  status: 'green',
  timed_out: false,
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 5,
  active_shards: 5,
  unassigned_shards: 0,
  number_of_pending_tasks: 0,
  task_max_waiting_in_queue_millis: 0,
};
const memberOf = (rejected: number) => ({
  name: 'es-1',
  jvm: { mem: { heap_used_percent: 41 } },
  fs: { total: { total_in_bytes: 1_000, available_in_bytes: 600 } },
  thread_pool: { write: { rejected }, search: { rejected: 0 } },
});

/** A cluster as its API shows it. */
async function clusterOf(health: object, explanation?: object, rejected: readonly number[] = []) {
  let reading = 0;
  replay = await startReplay(({ url }) => {
    if (url.pathname === '/_cluster/health') return health;
    if (url.pathname === '/_cluster/allocation/explain') return explanation;
    if (!url.pathname.startsWith('/_nodes/stats')) return undefined;
    return { nodes: { abc: memberOf(rejected[(reading += 1) - 1] ?? 0) } };
  });
  return replay;
}

async function look(endpoint: string) {
  const node = { ...nodeOf('elasticsearch'), in: { es: '*' } };
  const listed = { id: 'es', kind: 'elasticsearch-cluster' as const, endpoint };
  const sources = liveSources(
    { nodes: [node], sources: [{ id: 'es', kind: 'elasticsearch-cluster', provides: [] }] },
    [{ ...listed, auth: { apiKey: '${env:ES_KEY}' } }],
    { egress: anyEgress, secretOf: () => 'hunter22', now: Date.now() },
  );
  const context = { ...contextOf(node), sources };
  return expectSound(await elasticsearchInspect.run({ node: 'target' }, context));
}

test('a cluster that is well has no issues, with three requests', async () => {
  const { url, asked } = await clusterOf(GREEN);
  const result = await look(url);
  expect(result).toMatchObject({ status: 'ok', issues: [] });
  expect(result.measurements).toMatchObject({
    cluster: 'shop',
    status: 'green',
    heap_percent: 41,
    disk_percent: 40,
    requests: 3,
  });
  expect(asked[0]?.headers.authorization).toBe('ApiKey hunter22');
});

test('a red cluster that refuses writes says why a shard has no place', async () => {
  const { url } = await clusterOf(
    { ...GREEN, status: 'red', unassigned_shards: 1 },
    {
      index: 'orders',
      shard: 0,
      primary: true,
      can_allocate: 'no_valid_shard_copy',
      unassigned_info: { reason: 'NODE_LEFT' },
      allocate_explanation: 'cannot allocate because all found copies are corrupt',
    },
    [3, 9],
  );
  expect(await look(url)).toMatchObject({
    status: 'failed',
    issues: [
      { severity: 'critical', detail: expect.stringContaining('are corrupt') as unknown },
      { severity: 'warning', title: 'refuses writes or searches: 6 between two readings' },
    ],
    measurements: { requests: 4 },
  });
});

test('a shard that has found its place meanwhile needs no reason', async () => {
  const error = { error: { type: 'illegal_argument_exception' }, status: 400 };
  const yellow = { ...GREEN, status: 'yellow', unassigned_shards: 1 };
  const cluster = await clusterOf(yellow);
  cluster.answerNext(200, JSON.stringify(yellow));
  cluster.answerNext(200, JSON.stringify({ nodes: {} }));
  cluster.answerNext(400, JSON.stringify(error));
  expect((await look(cluster.url)).issues).toMatchObject([{ severity: 'warning' }]);
});

test('one that does not answer is the finding', async () => {
  const title = 'connection refused (ECONNREFUSED)';
  expect(await look(`http://127.0.0.1:${await closedPort()}`)).toMatchObject({
    status: 'failed',
    issues: [{ symptom: 'unreachable', title }],
  });
});

test.each([
  [403, '{}', 'refused'],
  [200, '<html>', 'failed'],
  [200, '{"status":"blue"}', 'failed'],
])('one that answers %i %s leaves the node unchecked', async (status, body, failure) => {
  const cluster = await clusterOf(GREEN);
  cluster.answerNext(status, body);
  await expect(look(cluster.url)).rejects.toMatchObject({ failure });
});

test('applies to a node that selects a cluster', () => {
  const sources = [{ id: 'es', kind: 'elasticsearch-cluster' as const, provides: [] }];
  const node = nodeOf('elasticsearch');
  expect(elasticsearchInspect.appliesTo({ ...node, in: { es: '*' } }, sources)).toBe(true);
  expect(elasticsearchInspect.appliesTo(node, sources)).toBe(false);
});
