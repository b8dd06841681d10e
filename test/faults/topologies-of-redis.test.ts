import { expect, jest, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/event-stream.js';
import { startRedisCluster } from '../support/redis-cluster.js';
import { startRedisSentinel } from '../support/redis-sentinel.js';
import { teamOfEach } from '../support/topology.js';
import { until } from '../support/until.js';
import { Cluster, puppet, say } from './cluster.js';

// For a machine that is busy with other things: idle, the slowest takes some 20 s.
jest.setTimeout(180_000);

const nodes = (token: string) =>
  teamOfEach({ db: puppet('look', { token: `${token} db`, gate: token }), web: puppet('touch', { token: `${token} web` }) });
const whole = (text: string) => expect(expectValid(text).at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });

test('through a sentinel, over a failover in the middle of a run: it goes on at the new primary, and so does what comes after', async () => {
  const redis = await startRedisSentinel();
  const cluster = new Cluster(redis.url, redis.replica.url);
  try {
    const [node] = await Promise.all([cluster.start('api'), cluster.start('worker'), cluster.start('worker')]);
    const api = new Api(node.url);
    const run = await api.trigger(await api.store(nodes('held')), say({ token: 'held' }));
    await cluster.did({ deed: 'tool-began', token: 'held db' });
    await run.has('event: dispatch.report');
    // In good order: the replica gets all that was acknowledged.
    await redis.primary.stop();
    await cluster.strings.open('held');
    whole((await run.end(90_000)).text);
    expect(await api.log(run.runId)).toBe(run.log);
    expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'held web' })).toHaveLength(1);
    await cluster.strings.open('after');
    whole((await (await api.trigger(await api.store(nodes('after')), say({ token: 'after' }))).end(60_000)).text);
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
    const [node] = await Promise.all([cluster.start('api'), cluster.start('worker'), cluster.start('worker')]);
    const api = new Api(node.url);
    const run = await api.trigger(await api.store(nodes('shards')), say({ token: 'shards' }));
    const deed = await cluster.did({ deed: 'tool-began', token: 'shards db' });
    await run.has('event: dispatch.report');
    await cluster.doer(deed).end();
    await cluster.strings.open('shards');
    whole((await run.end(60_000)).text);
    expect(run.text).toContain('AGENT_RESUMED');
    expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'shards web' })).toHaveLength(1);
  } finally {
    await cluster.close();
    await redis.stop();
  }
});
