import { expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/event-stream.js';
import { putProxyBefore, shardOf, startRedisCluster } from '../support/redis-cluster.js';
import { startRedisSentinel } from '../support/redis-sentinel.js';
import { teamOfEach } from '../support/topology.js';
import { until } from '../support/until.js';
import { Cluster, puppet, say } from './cluster.js';

const nodes = (token: string) =>
  teamOfEach({
    db: puppet('look', { token: `${token} db`, gate: token }),
    web: puppet('touch', { token: `${token} web` }),
  });
const whole = (text: string) =>
  expect(expectValid(text).at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: false },
  });

test('through a sentinel, over a failover in the middle of a run: it goes on at the new primary, and so does what comes after', async () => {
  const redis = await startRedisSentinel();
  const cluster = new Cluster(redis.url, redis.replica.url);
  try {
    const [node] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    const api = new Api(node.url);
    const run = await api.trigger(await api.store(nodes('held')), say({ token: 'held' }));
    await cluster.did({ deed: 'tool-began', token: 'held db' });
    await run.has('event: dispatch.report');
    // In good order: the replica gets all that was acknowledged.
    await redis.primary.stop();
    await cluster.strings.open('held');
    whole((await run.end()).text);
    expect(await api.log(run.runId)).toBe(run.log);
    expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'held web' })).toHaveLength(1);
    await cluster.strings.open('after');
    whole(
      (await (await api.trigger(await api.store(nodes('after')), say({ token: 'after' }))).end())
        .text,
    );
    await until('no job is left', async () => (await cluster.jobs()) === 0);
  } finally {
    await cluster.close();
    await redis.stop();
  }
});

test('on a cluster of three: a worker is killed in the middle of a run, and another goes on', async () => {
  const redis = await startRedisCluster();
  const cluster = new Cluster(redis.url, process.env['TEST_REDIS_URL']);
  try {
    const [node] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    const api = new Api(node.url);
    const run = await api.trigger(await api.store(nodes('shards')), say({ token: 'shards' }));
    const deed = await cluster.did({ deed: 'tool-began', token: 'shards db' });
    await run.has('event: dispatch.report');
    await cluster.doer(deed).end();
    await cluster.strings.open('shards');
    whole((await run.end()).text);
    expect(run.text).toContain('AGENT_RESUMED');
    expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'shards web' })).toHaveLength(
      1,
    );
  } finally {
    await cluster.close();
    await redis.stop();
  }
});

test('on a cluster, while the connections to one shard are half open, and then those to the shard of the queues: nothing hangs, nothing is lost', async () => {
  const redis = await startRedisCluster();
  const proxies = await Promise.all(redis.nodes.map((node) => putProxyBefore(redis, node)));
  const cluster = new Cluster(redis.url, process.env['TEST_REDIS_URL']);
  // What is lost again and again here is no crash of an agent.
  const worker = { MAX_CRASHES: '50' };
  try {
    const [node] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker', worker),
      cluster.start('worker', worker),
    ]);
    const api = new Api(node.url);
    const queues = await shardOf(redis, `{${cluster.prefix}}`);
    for (const shard of [(queues + 1) % 3, queues]) {
      const runs: { run: EventStream; token: string; shard: number }[] = [];
      const among = (of: number) => runs.filter((each) => each.shard === of);
      while ([0, 1, 2].some((of) => among(of).length < 3)) {
        const token = `${shard} ${runs.length}`;
        const run = await api.trigger(await api.store(nodes(token)), say({ token }));
        runs.push({
          run,
          token,
          shard: await shardOf(redis, `${cluster.prefix}:{${run.runId}}:log`),
        });
      }
      for (const { run } of runs) await run.has('event: dispatch.report');
      proxies[shard]?.swallow();
      for (const { token } of runs) await cluster.strings.open(token);
      // Those whose jobs and logs are in other shards do not wait for it.
      const others = shard === queues ? [] : runs.filter((each) => each.shard !== shard);
      for (const { run } of others) whole((await run.end()).text);
      expect(among(shard).map(({ run }) => run.ended)).not.toContain(true);
      proxies[shard]?.mend();
      for (const { run, token } of runs) {
        whole((await run.end()).text);
        expect(await api.log(run.runId)).toBe(run.log);
        expect(
          await cluster.strings.deeds({ deed: 'tool-began', token: `${token} web` }),
        ).toHaveLength(1);
      }
    }
  } finally {
    await cluster.close();
    for (const proxy of proxies) await proxy.close();
    await redis.stop();
  }
});
