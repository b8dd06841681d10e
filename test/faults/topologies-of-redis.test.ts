import { expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/streams/event-stream.js';
import { putProxyBefore, shardOf, startRedisCluster } from '../support/programs/redis-cluster.js';
import { startRedisSentinel } from '../support/programs/redis-sentinel.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

const nodes = (mark: string) =>
  teamOfEach({
    db: scriptedNode('look', { mark: `${mark} db`, gate: mark }),
    web: scriptedNode('touch', { mark: `${mark} web` }),
  });
const whole = (text: string) =>
  expect(expectValid(text).at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: false },
  });

test('a run continues at the new primary after a failover by Sentinel, and later runs start there', async () => {
  const redis = await startRedisSentinel();
  const cluster = new Cluster(redis.url, redis.replica.url);
  try {
    const [node] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    const api = new Api(node.url);
    const run = await api.trigger(await api.store(nodes('held')), say({ mark: 'held' }));
    await cluster.observed({ event: 'tool-began', mark: 'held db' });
    await run.has('event: dispatch.report');
    await redis.replicated();
    await redis.primary.stop();
    await cluster.control.open('held');
    whole((await run.end()).text);
    expect(await api.log(run.runId)).toBe(run.log);
    expect(
      await cluster.control.observations({ event: 'tool-began', mark: 'held web' }),
    ).toHaveLength(1);
    await cluster.control.open('after');
    whole(
      (await (await api.trigger(await api.store(nodes('after')), say({ mark: 'after' }))).end())
        .text,
    );
    await until('no job is left', async () => (await cluster.jobs()) === 0);
  } finally {
    await cluster.close();
    await redis.stop();
  }
});

test('a run on a cluster of three continues after its worker was killed', async () => {
  const redis = await startRedisCluster();
  const cluster = new Cluster(redis.url, process.env['TEST_REDIS_URL']);
  try {
    const [node] = await Promise.all([
      cluster.start('api'),
      cluster.start('worker'),
      cluster.start('worker'),
    ]);
    const api = new Api(node.url);
    const run = await api.trigger(await api.store(nodes('shards')), say({ mark: 'shards' }));
    const observation = await cluster.observed({ event: 'tool-began', mark: 'shards db' });
    await run.has('event: dispatch.report');
    await cluster.processOf(observation).end();
    await cluster.control.open('shards');
    whole((await run.end()).text);
    expect(run.text).toContain('AGENT_RESUMED');
    expect(
      await cluster.control.observations({ event: 'tool-began', mark: 'shards web' }),
    ).toHaveLength(1);
  } finally {
    await cluster.close();
    await redis.stop();
  }
});

test('runs on a cluster survive half-open connections to one shard, and to the shard of the queues', async () => {
  const redis = await startRedisCluster();
  const proxies = await Promise.all(redis.nodes.map((node) => putProxyBefore(redis, node)));
  const cluster = new Cluster(redis.url, process.env['TEST_REDIS_URL']);
  // Lost connections must not count as crashes of an agent.
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
      const runs: { run: EventStream; mark: string; shard: number }[] = [];
      const among = (of: number) => runs.filter((each) => each.shard === of);
      while ([0, 1, 2].some((of) => among(of).length < 3)) {
        const mark = `${shard} ${runs.length}`;
        const run = await api.trigger(await api.store(nodes(mark)), say({ mark }));
        runs.push({
          run,
          mark,
          shard: await shardOf(redis, `${cluster.prefix}:{${run.runId}}:log`),
        });
      }
      for (const { run } of runs) await run.has('event: dispatch.report');
      proxies[shard]?.swallow();
      for (const { mark } of runs) await cluster.control.open(mark);
      // Those whose jobs and logs are in other shards do not wait for it.
      const others = shard === queues ? [] : runs.filter((each) => each.shard !== shard);
      for (const { run } of others) whole((await run.end()).text);
      expect(among(shard).map(({ run }) => run.ended)).not.toContain(true);
      proxies[shard]?.mend();
      for (const { run, mark } of runs) {
        whole((await run.end()).text);
        expect(await api.log(run.runId)).toBe(run.log);
        expect(
          await cluster.control.observations({ event: 'tool-began', mark: `${mark} web` }),
        ).toHaveLength(1);
      }
    }
  } finally {
    await cluster.close();
    for (const proxy of proxies) await proxy.close();
    await redis.stop();
  }
});
