import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { testRedis, type TestRedis } from '../../../test/support/redis.js';
import { until } from '../../../test/support/until.js';
import { callerKeys } from '../../redis/keys.js';
import { StreamLeases } from './stream-leases.js';

let own: TestRedis;
const leasesOf = (maxStreams: number) =>
  new StreamLeases(own.redis, { redisPrefix: own.prefix, maxStreams });
const response = () => new EventEmitter() as unknown as Response;
const count = (caller: string) => own.redis.zcard(callerKeys(own.prefix, caller).streams);

beforeEach(() => void (own = testRedis()));
afterEach(() => own.close());

it('limits the streams of a caller over all processes', async () => {
  const one = leasesOf(2);
  const other = leasesOf(2);
  const first = response();
  await one.take('ann', first);
  await other.take('ann', response());
  await expect(one.take('ann', response())).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    options: { retryAfterSeconds: 5 },
  });
  await one.take('bob', response());
  first.emit('close');
  await until('the stream is no longer counted', async () => (await count('ann')) === 1);
  await other.take('ann', response());
  [one, other].forEach((leases) => leases.onApplicationShutdown());
});

it('counts no stream of a process that was killed for longer than its lease', async () => {
  const key = callerKeys(own.prefix, 'ann').streams;
  await own.redis.zadd(key, Date.now() - 1, 'of a process that is gone');
  const leases = leasesOf(1);
  await leases.take('ann', response());
  expect(await count('ann')).toBe(1);
  leases.onApplicationShutdown();
});

it('renews the leases of open streams only', async () => {
  const leases = leasesOf(3);
  const closed = response();
  await leases.take('ann', response());
  await leases.take('ann', closed);
  closed.emit('close');
  await until('the closed one is gone', async () => (await count('ann')) === 1);
  const key = callerKeys(own.prefix, 'ann').streams;
  const [id = ''] = await own.redis.zrange(key, '0', '-1');
  await own.redis.zadd(key, 1, id);
  await leases.renew();
  expect(Number(await own.redis.zscore(key, id))).toBeGreaterThan(Date.now());
  expect(await count('ann')).toBe(1);
  leases.onApplicationShutdown();
});

it('gives the lease of a stream that has closed to the next one, until the next renewal', async () => {
  const leases = leasesOf(200);
  const asked = jest.spyOn(own.redis, 'eval');
  for (let i = 0; i < 20; i++) {
    const stream = response();
    await leases.take('ann', stream);
    stream.emit('close');
  }
  expect(asked).toHaveBeenCalledTimes(1);
  const many = Array.from({ length: 5 }, response);
  for (const stream of many) await leases.take('ann', stream);
  expect(await count('ann')).toBe(5);
  many.forEach((stream) => void stream.emit('close'));
  await until('two are kept', async () => (await count('ann')) === 2);
  await leases.renew();
  await until('none is kept', async () => (await count('ann')) === 0);
  leases.onApplicationShutdown();
});

it('counts the leases that it keeps', async () => {
  const one = leasesOf(100);
  const other = leasesOf(100);
  const first = response();
  await one.take('ann', first);
  first.emit('close');
  for (let i = 0; i < 99; i++) await other.take('ann', response());
  await expect(other.take('ann', response())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await one.take('ann', response());
  await expect(one.take('ann', response())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  [one, other].forEach((leases) => leases.onApplicationShutdown());
});

it('does not limit with 0', async () => {
  const leases = leasesOf(0);
  for (let i = 0; i < 10; i++) await leases.take('ann', response());
  expect(await count('ann')).toBe(0);
});
