import { expect, it } from '@jest/globals';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { MakeLimiter } from './limiter.js';
import { RateLimits } from './rate-limits.js';

const inMemory: MakeLimiter = ({ points, seconds: duration }) =>
  new RateLimiterMemory({ points, duration });
const settings = {
  requestsPerMinute: 3,
  triggersPerMinute: 1,
  chatsPerMinute: 0,
  alertsPerMinute: 0,
  failedLoginsPerMinute: 0,
};

it('refuses what is over the rate, and says when to try again', async () => {
  const limits = new RateLimits(inMemory, settings);
  for (let i = 0; i < 3; i++) await limits.take('requests', 'ann');
  await expect(limits.take('requests', 'ann')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: 'You may send 3 requests in a minute; try again in 60 s',
    options: {
      retryAfterSeconds: 60,
      headers: { RateLimit: '"requests";r=0;t=60', 'RateLimit-Policy': '"requests";q=3;w=60' },
    },
  });
});

it('counts each caller and each rate by itself', async () => {
  const limits = new RateLimits(inMemory, settings);
  await limits.take('triggers', 'ann');
  await limits.take('triggers', 'bob');
  await limits.take('requests', 'ann');
  await expect(limits.take('triggers', 'ann')).rejects.toThrow('1 triggers in a minute');
});

it('takes a hundredth of a large quota at once, and gives no caller more than its quota', async () => {
  const taken: number[] = [];
  const shared = inMemory({ name: 'requests', points: 1_000, seconds: 60 });
  const counting: MakeLimiter = () => ({
    consume: (key, points = 1) => {
      taken.push(points);
      return shared.consume(key, points);
    },
  });
  const processes = [1, 2].map(
    () => new RateLimits(counting, { ...settings, requestsPerMinute: 1_000, triggersPerMinute: 0 }),
  );
  let admitted = 0;
  for (let i = 0; i < 1_200; i++)
    await processes[i % 2]?.take('requests', 'ann').then(
      () => admitted++,
      () => undefined,
    );
  expect(admitted).toBe(1_000);
  expect(new Set(taken)).toEqual(new Set([10]));
});

it('does not spend what it took after the window that it was from', async () => {
  let now = 0;
  const consumed: number[] = [];
  const make: MakeLimiter = () => ({
    get: () => Promise.resolve(null),
    consume: (_, points = 1) => {
      consumed.push(points);
      return Promise.resolve(new RateLimiterRes(0, 5_000, points, false));
    },
  });
  const limits = new RateLimits(make, { ...settings, requestsPerMinute: 400 }, () => now);
  for (let i = 0; i < 3; i++) await limits.take('requests', 'ann');
  expect(consumed).toEqual([4]);
  now = 5_000;
  await limits.take('requests', 'ann');
  expect(consumed).toEqual([4, 4]);
});

it('does not limit a rate of 0', async () => {
  const limits = new RateLimits(inMemory, settings);
  for (let i = 0; i < 100; i++) await limits.take('chats', 'ann');
});

it('passes on an error that is not a refusal', async () => {
  const broken: MakeLimiter = () => ({
    consume: () => Promise.reject(new Error('the store is broken')),
    get: () => Promise.resolve(null),
  });
  const limits = new RateLimits(broken, settings);
  await expect(limits.take('requests', 'ann')).rejects.toThrow('the store is broken');
});
