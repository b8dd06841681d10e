import { afterAll, afterEach, beforeAll, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { connect } from '../../src/redis/connect.js';
import { text } from '../support/incidents/drafts.js';
import { feedNode, TestRun } from '../support/streams/feed-node.js';
import {
  putProxyBefore,
  shardOf,
  startRedisCluster,
  type RedisCluster,
} from '../support/programs/redis-cluster.js';
import type { TcpProxy } from '../support/processes/tcp-proxy.js';
import { TestSink } from '../support/memory/test-sink.js';
import { until } from '../support/until.js';

let cluster: RedisCluster;
let redis: Redis;
/** The only address of the first shard that the cluster announces. */
let proxy: TcpProxy;
let shard: Redis;
const feeds: ReturnType<typeof feedNode>['feed'][] = [];
beforeAll(async () => {
  cluster = await startRedisCluster();
  shard = cluster.nodes[0] as Redis;
  proxy = await putProxyBefore(cluster, shard);
  redis = connect(cluster.url, 5_000);
});
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.onApplicationShutdown();
});
afterAll(async () => {
  redis.disconnect();
  await proxy.close();
  await cluster.stop();
});

function node() {
  const made = feedNode({
    redis,
    url: cluster.url,
    prefix: 'half-open',
    close: () => Promise.resolve(),
  });
  feeds.push(made.feed);
  return made;
}

/** A run whose keys are in the first shard, or in another one. */
async function runIn({ log }: ReturnType<typeof node>, first: boolean): Promise<TestRun> {
  for (;;) {
    const run = new TestRun(log, redis);
    if (((await shardOf(cluster, log.keys(run.runId).log)) === 0) === first) return run.begin();
  }
}

async function followed({ feed }: ReturnType<typeof node>, run: TestRun): Promise<TestSink> {
  const sink = new TestSink();
  await feed.follow(run.runId, 0, sink);
  return sink;
}

/** Connections on which a run of the first shard is heard, as its server knows. */
async function ears({ log }: ReturnType<typeof node>, run: TestRun): Promise<number> {
  const [, count] = (await shard.call('PUBSUB', 'SHARDNUMSUB', log.keys(run.runId).feed)) as [
    string,
    number,
  ];
  return Number(count);
}

test('a half-open subscription to one shard of a cluster is replaced, and no follower misses an event', async () => {
  const one = node();
  const early = await runIn(one, true);
  const late = await runIn(one, true);
  const elsewhere = await runIn(one, false);
  const sinks = [await followed(one, early), await followed(one, elsewhere)];
  await until('a subscription', async () => (await ears(one, early)) === 1);
  const caught = proxy.trap(/ssubscribe/i);
  sinks.push(await followed(one, late));
  await caught;
  for (const run of [early, late, elsewhere]) await run.append(text('missed'));
  await until('what was missed', async () => {
    const logs = await Promise.all([early, elsewhere, late].map((run) => run.after(0)));
    return logs.every((log, i) => sinks[i]?.text === log);
  });
  // The server takes the old one for alive.
  await until(
    'new subscriptions',
    async () => (await ears(one, early)) === 2 && (await ears(one, late)) === 1,
  );
});

test('replaces a connection that was half open from the start', async () => {
  const one = node();
  const run = await runIn(one, true);
  const caught = proxy.trap(/ssubscribe/i);
  const sink = await followed(one, run);
  await caught;
  await run.append(text('missed'));
  await until('what was missed', async () => sink.text === (await run.after(0)));
  await until('a new subscription', async () => (await ears(one, run)) === 1);
});
