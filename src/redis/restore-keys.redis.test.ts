import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { startPrivateRedis, type PrivateRedis } from '../local/private-redis.js';
import { checkStore } from './check-store.js';
import { connect } from './connect.js';
import { processesKey, queuePrefix, restoreKey } from './keys.js';
import { restoreKeys } from './restore-keys.js';

let into: TestRedis;
let server: PrivateRedis;
let from: Redis;
beforeEach(async () => {
  into = testRedis();
  server = await startPrivateRedis();
  from = connect(server.url);
  const { prefix } = into;
  await from.set(`${prefix}:{a}:text`, 'one');
  await from.set(`${prefix}:{a}:short`, 'two', 'PX', 3_600_000);
  await from.xadd(`${prefix}:{b}:log`, '7-0', 'f', Buffer.from([0, 255, 10]));
  await from.zadd(`${queuePrefix(prefix)}:wait`, 1, 'job');
  await from.hset(processesKey(prefix), 'p', '{}');
  await from.set('another:{a}', 'three');
});
afterEach(async () => {
  from.disconnect();
  await server.stop();
  await into.close();
});

const restore = (digest = 'd1', redis = into.redis) =>
  restoreKeys(from, redis, into.prefix, digest);
const keysOf = async () => (await into.redis.keys(`*${into.prefix}*`)).toSorted();
const refused = async () => (await checkStore(into.redis, into.prefix)).refused;

/** Dies after some keys. */
const dying = (after: number): Redis => {
  let restored = 0;
  return new Proxy(into.redis, {
    get: (target, key) => {
      if (key !== 'restore') return Reflect.get(target, key) as unknown;
      return (...args: Parameters<Redis['restore']>) => {
        if (restored++ >= after) throw new Error('killed');
        return target.restore(...args);
      };
    },
  });
};

it('copies the keys of the prefix with their times, except those of processes', async () => {
  expect(await restore()).toBe(4);
  const { prefix, redis } = into;
  expect(await keysOf()).toEqual(
    [
      `${prefix}:{a}:short`,
      `${prefix}:{a}:text`,
      `${prefix}:{b}:log`,
      `${queuePrefix(prefix)}:wait`,
    ].toSorted(),
  );
  expect(await redis.xrangeBuffer(`${prefix}:{b}:log`, '-', '+')).toEqual([
    [Buffer.from('7-0'), [Buffer.from('f'), Buffer.from([0, 255, 10])]],
  ]);
  const left = await redis.pttl(`${prefix}:{a}:short`);
  expect(left).toBeGreaterThan(3_500_000);
  expect(left).toBeLessThanOrEqual(3_600_000);
  expect(await refused()).toEqual([]);
});

it('changes nothing where keys of the prefix are', async () => {
  await into.redis.set(`${into.prefix}:{a}:text`, 'live');
  await expect(restore()).rejects.toThrow(/^it has data of this service already/);
  expect(await keysOf()).toEqual([`${into.prefix}:{a}:text`]);
  expect(await into.redis.get(`${into.prefix}:{a}:text`)).toBe('live');
});

it('can be repeated after a death in the middle, and lets no service start before', async () => {
  await expect(restore('d1', dying(2))).rejects.toThrow('killed');
  expect(await refused()).toEqual([expect.stringContaining('consilium restore')]);
  await expect(restore('d2')).rejects.toThrow(/^the restore of another backup was not finished/);
  expect(await restore('d1')).toBe(4);
  expect(await into.redis.get(`${into.prefix}:{a}:text`)).toBe('one');
  expect(await keysOf()).toHaveLength(4);
  expect(await refused()).toEqual([]);
  // What is restored is data of the service.
  await expect(restore('d1')).rejects.toThrow(/^it has data of this service already/);
});

it('does not go on where a process has come to work', async () => {
  await expect(restore('d1', dying(2))).rejects.toThrow('killed');
  await into.redis.hset(processesKey(into.prefix), 'p', '{}');
  const before = await keysOf();
  await expect(restore('d1')).rejects.toThrow(/^a process of the service uses it/);
  expect(await keysOf()).toEqual(before);
});

it('refuses a backup without keys of the prefix', async () => {
  await from.flushall();
  await from.set('another:{a}', 'three');
  await expect(restore()).rejects.toThrow(/^it has no key with the prefix/);
  expect(await keysOf()).toEqual([]);
});

it('refuses a backup that was made while a restore had not ended', async () => {
  await from.set(restoreKey(into.prefix), 'd0');
  await expect(restore()).rejects.toThrow(/^it was made while a restore had not ended/);
  expect(await keysOf()).toEqual([]);
});
