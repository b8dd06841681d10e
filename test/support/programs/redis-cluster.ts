import { Redis } from 'ioredis';
import { freePort } from '../../../src/local/loopback.js';
import { startPrivateRedis, type PrivateRedis } from '../../../src/local/private-redis.js';
import { TcpProxy } from '../processes/tcp-proxy.js';
import { until } from '../until.js';

const SLOTS = 16_384;

export interface RedisCluster {
  /** Its address in the form of REDIS_URL. */
  url: string;
  nodes: Redis[];
  stop(): Promise<void>;
}

/** A real cluster of three masters that share the slots. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const servers: PrivateRedis[] = [];
  const nodes: Redis[] = [];
  const stop = async () => {
    for (const node of nodes) node.disconnect();
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    for (let i = 0; i < 3; i++)
      servers.push(
        await startPrivateRedis({
          port: await busPort(),
          extraArgs: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
        }),
      );
    for (const { url } of servers) nodes.push(new Redis(url, { maxRetriesPerRequest: 3 }));
    const [first] = servers;
    for (const [i, node] of nodes.entries()) {
      const from = Math.floor((SLOTS * i) / 3);
      const to = Math.floor((SLOTS * (i + 1)) / 3) - 1;
      await node.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
      if (i > 0) await node.cluster('MEET', '127.0.0.1', (first as PrivateRedis).port);
    }
    await until('the cluster to be well', async () => {
      const states = await Promise.all(
        nodes.map(async (node) => ({
          info: String(await node.cluster('INFO')),
          slots: await node.cluster('SLOTS'),
        })),
      );
      return states.every(
        ({ info, slots }) =>
          /cluster_state:ok/.test(info) && /cluster_known_nodes:3/.test(info) && slots.length === 3,
      );
    });
    return {
      url: `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
      nodes,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Has the cluster announce a proxy in place of a node. */
export async function putProxyBefore({ nodes }: RedisCluster, node: Redis): Promise<TcpProxy> {
  const proxy = await TcpProxy.to(`redis://127.0.0.1:${node.options.port}`);
  const { port } = new URL(proxy.url);
  await node.config('SET', 'cluster-announce-port', port);
  await until('all to know the way', async () =>
    (
      await Promise.all(nodes.map(async (each) => JSON.stringify(await each.cluster('SLOTS'))))
    ).every((slots) => slots.includes(port)),
  );
  return proxy;
}

/** The node of a cluster of three that stores a key. */
export async function shardOf({ nodes }: RedisCluster, key: string): Promise<number> {
  const slot = Number(await nodes[0]?.cluster('KEYSLOT', key));
  return [0, 1, 2].findLastIndex((i) => slot >= Math.floor((SLOTS * i) / 3));
}

/** A free port whose bus port, 10,000 above it, exists. */
async function busPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 55_000) return port;
  }
}
