import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ModelLimiter } from '../../../src/models/calls/model-limiter.js';
import { testRedis, type TestRedis } from '../../support/redis.js';
import { checkLimiter } from './check-limiter.js';

const model = { name: 'm', limits: { concurrency: 2 } };
let own: TestRedis;
let limiter: ModelLimiter;
beforeEach(() => {
  own = testRedis();
  limiter = new ModelLimiter(own.redis, own.prefix);
});
afterEach(() => own.close());

const check = () => checkLimiter(own.redis, own.prefix, model, 200);

test('accepts a limiter whose permits are all free', async () => {
  const entered = await limiter.acquire(model, { id: 'a', priority: 1 });
  if (entered.kind === 'granted') await entered.lease.release('ok');
  expect(await check()).toEqual([]);
});

test('finds a permit that was not given back', async () => {
  await limiter.acquire(model, { id: 'a', priority: 1 });
  expect(await check()).toEqual([
    expect.stringContaining('"calls":1'),
    '1 of 2 permits of the model are free',
  ]);
});

test('finds a caller that still waits', async () => {
  const entered = await limiter.acquire(model, { id: 'a', priority: 1 });
  await limiter.acquire(model, { id: 'b', priority: 1 });
  await limiter.acquire(model, { id: 'c', priority: 1 });
  if (entered.kind === 'granted') await entered.lease.release('ok');
  expect((await check())[0]).toContain('"waiting":1');
});
