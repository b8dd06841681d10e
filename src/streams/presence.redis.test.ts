import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { until } from '../../test/support/until.js';
import { loadConfig } from '../config/load-config.js';
import { followedKey, pausedKey } from '../redis/keys.js';
import type { StoreWatch } from '../redis/store-watch.js';
import { Presence } from './presence.js';

let corner: TestRedis;
beforeAll(() => void (corner = testRedis()));
afterAll(() => corner.close());

const presenceOn = (isSettled = true) =>
  new Presence(corner.redis, loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix }), {
    isSettled,
  } as StoreWatch);

it('keeps a run followed for 10 s after its last follower on any node', async () => {
  const one = presenceOn();
  const other = presenceOn();
  const runId = randomUUID();
  expect(await one.isFollowed(runId)).toBe(false);
  const leave = await one.follow(runId);
  const leaveToo = await one.follow(runId);
  expect(await other.isFollowed(runId)).toBe(true);
  const key = followedKey(corner.prefix, runId);
  await corner.redis.pexpire(key, 1_000);
  leave();
  leave();
  expect(await corner.redis.pttl(key)).toBeLessThanOrEqual(1_000);
  // Renews the lease a last time. Commands of one connection run in order.
  leaveToo();
  expect(await corner.redis.pttl(key)).toBeGreaterThan(5_000);
  await corner.redis.unlink(key);
  expect(await other.isFollowed(runId)).toBe(false);
  one.onApplicationShutdown();
});

it('renews the lease of a run as long as it is followed, also after Redis lost it', async () => {
  const one = presenceOn();
  const other = presenceOn();
  const runId = randomUUID();
  const leave = await one.follow(runId);
  await corner.redis.unlink(followedKey(corner.prefix, runId));
  expect(await other.isFollowed(runId)).toBe(false);
  await until('the lease is renewed', () => other.isFollowed(runId));
  leave();
  one.onApplicationShutdown();
});

it('keeps a run followed until a client that thinks about an approval is back', async () => {
  const one = presenceOn();
  const other = presenceOn();
  const runId = randomUUID();
  const leave = await one.follow(runId);
  await one.pause(runId, Date.now() + 900_000);
  leave();
  // As if 10 s had passed since the stream ended.
  await corner.redis.unlink(followedKey(corner.prefix, runId));
  expect(await other.isFollowed(runId)).toBe(true);
  const left = await corner.redis.pttl(pausedKey(corner.prefix, runId));
  expect(left).toBeGreaterThan(900_000);
  expect(left).toBeLessThanOrEqual(910_000);
  await other.unpause(runId);
  expect(await one.isFollowed(runId)).toBe(false);
  one.onApplicationShutdown();
});

it('treats every run as followed until all processes could renew their leases', async () => {
  expect(await presenceOn(false).isFollowed(randomUUID())).toBe(true);
});
