import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../src/service.js';
import { connect } from '../../src/redis/connect.js';
import { loadConfig } from '../../src/config/load-config.js';
import { RedisLog } from '../../src/event-log/redis-log.js';
import { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { Loopback } from '../support/loopback.js';
import { startRedisCluster, type RedisCluster } from '../support/programs/redis-cluster.js';
import { erroring, healthy, held, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';

let cluster: RedisCluster;
let services: Service[] = [];
let apis: [Api, Api];
const targets = new Loopback();
beforeAll(async () => {
  cluster = await startRedisCluster();
  const env = {
    PORT: '0',
    REDIS_URL: cluster.url,
    TOPOLOGIES_DIR: 'test/support',
    LOG_LEVEL: 'silent',
    SHUTDOWN_GRACE_SECONDS: '0',
    HEARTBEAT_SECONDS: '1',
  };
  services = await Promise.all([
    startService({ ...env, ROLE: 'all' }),
    startService({ ...env, ROLE: 'api' }),
  ]);
  apis = services.map(({ url }) => new Api(url)) as [Api, Api];
});
afterAll(async () => {
  await targets.close();
  await Promise.all(services.map((service) => service.close()));
  await cluster.stop();
});

const stored = async (behaviour: Parameters<typeof httpTarget>[1]) => {
  const target = await httpTarget(targets, behaviour);
  return apis[0].store(
    topologyOf({ api: target, shop: { endpoint: target.endpoint, dependsOn: ['api'] } }),
  );
};

test('runs of every shard complete, and every node serves the same log', async () => {
  const id = await stored(erroring);
  const runs = await Promise.all(Array.from({ length: 6 }, () => apis[0].trigger(id)));
  const others = await Promise.all(runs.map((run) => apis[1].follow(run.runId)));
  for (const [i, run] of runs.entries()) {
    const { text, log } = await run.end();
    expect(expectValid(text).at(-1)?.key).toBe('lifecycle.completed');
    expect((await others[i]?.end())?.log).toBe(log);
    expect(await apis[1].log(run.runId)).toBe(log);
    expect(await apis[1].show(run.runId)).toMatchObject({ status: 'completed' });
  }
  const { data } = await apis[1].ask<{ items: { runId: string }[] }>('GET', '/executions');
  expect(new Set(data.items.map(({ runId }) => runId))).toEqual(
    new Set(runs.map(({ runId }) => runId)),
  );
  // They do live in several shards.
  const shards = await Promise.all(
    cluster.nodes.map(async (node) => (await node.keys('consilium:{*}:log')).length),
  );
  expect(shards.filter((runsThere) => runsThere > 0).length).toBeGreaterThan(1);
});

test('receives messages in the shard of their run', async () => {
  const gate = held(healthy);
  const run = await apis[0].accept(await stored(gate));
  const follower = await apis[1].follow(run);
  await follower.has('llm.tool_call');
  const heard = await Promise.all(
    cluster.nodes.map(async (node) =>
      Number(
        (
          (await node.call('PUBSUB', 'SHARDNUMSUB', `consilium:{${run}}:feed`)) as [string, number]
        )[1],
      ),
    ),
  );
  expect(heard.toSorted()).toEqual([0, 0, 1]);
  expect((await apis[0].cancel(run)).status).toBe(200);
  await follower.end();
  expect(expectValid(follower.text).at(-1)?.key).toBe('lifecycle.cancelled');
  gate.release();
  await until('its agents to have stopped', async () => (await apis[0].show(run)).quiesced);
});

test('delivers events that were written while subscriptions were interrupted', async () => {
  const gate = held(healthy);
  const run = await apis[0].accept(await stored(gate));
  const follower = await apis[1].follow(run);
  await follower.has('llm.tool_call');
  await Promise.all(cluster.nodes.map((node) => node.call('CLIENT', 'KILL', 'TYPE', 'pubsub')));
  gate.release();
  await follower.end();
  expect(follower.log).toBe(await apis[0].log(run));
  expect(expectValid(follower.text).at(-1)?.key).toBe('lifecycle.completed');
});

test('a log is trimmed in its shard', async () => {
  const run = await (await apis[0].trigger(await stored(healthy))).end();
  const redis = connect(cluster.url, 5_000);
  await new RedisLog(redis, loadConfig({ REDIS_URL: cluster.url })).trim(run.runId);
  redis.disconnect();
  expect(await apis[0].ask('GET', `/executions/${run.runId}/events`)).toMatchObject({
    status: 410,
    code: 'RUN_EXPIRED',
  });
  expect(await apis[0].show(run.runId)).toMatchObject({
    status: 'completed',
    summary: expect.any(String),
  });
});
