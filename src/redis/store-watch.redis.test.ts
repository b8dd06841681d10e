import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Loopback } from '../../test/support/loopback.js';
import { until } from '../../test/support/until.js';
import { startPrivateRedis } from '../local/private-redis.js';
import { StoreWatch } from './store-watch.js';

const EVICTS = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startRedis(...extraArgs: string[]): Promise<number> {
  const server = await startPrivateRedis({ extraArgs });
  closers.push(() => server.stop());
  return Number(new URL(server.url).port);
}

/** @param route ends or forwards a connection, given what the client has sent */
async function watchThrough(route: (sent: string, client: Socket) => number | undefined) {
  const loopback = new Loopback();
  closers.push(() => loopback.close());
  const server = createServer((client) => {
    let upstream: Socket | undefined;
    client.on('close', () => upstream?.destroy());
    client.on('data', (bytes) => {
      const port = route(bytes.toString('latin1'), client);
      if (port === undefined) return client.destroy();
      if (!upstream) {
        upstream = connect(port, '127.0.0.1');
        upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
        upstream.pipe(client);
      }
      return upstream.write(bytes);
    });
  });
  const redisUrl = `redis://127.0.0.1:${await loopback.open(server)}`;
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => undefined);
  closers.push(() => redis.disconnect());
  const watch = new StoreWatch(redis, { redisUrl, redisPrefix: 'test' });
  closers.push(() => watch.onApplicationShutdown());
  return { redis, watch };
}

it('checks a Redis that replaces another one during a check', async () => {
  const sound = await startRedis();
  const evicting = await startRedis(...EVICTS);
  let current = sound;
  const { redis, watch } = await watchThrough((sent) => {
    if (current === evicting || !/config/i.test(sent)) return current;
    // INFO came from the first one. What follows is asked of the second one.
    current = evicting;
    return undefined;
  });
  await expect(watch.onModuleInit()).rejects.toThrow(/evict/);
  expect(await redis.info('server')).toContain(`tcp_port:${evicting}`);
});

it('repeats a check that failed although the connection stays', async () => {
  const sound = await startRedis();
  const evicting = await startRedis(...EVICTS);
  let current = sound;
  let refused = false;
  const { redis, watch } = await watchThrough(() => current);
  await watch.onModuleInit();
  expect(watch.judgement.refused).toEqual([]);
  const ping = redis.ping.bind(redis);
  redis.ping = (() => {
    if (refused) return ping();
    refused = true;
    return Promise.reject(new Error('BUSY Redis is busy running a script.'));
  }) as typeof redis.ping;
  current = evicting;
  redis.disconnect(true);
  await until('the check is repeated', () => watch.judgement.refused.length > 0, 20_000);
  expect(refused).toBe(true);
});
