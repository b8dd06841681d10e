import { expect, it } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { MakeLimiter } from './limiter.js';
import { RateLimits } from './rate-limits.js';

const inMemory: MakeLimiter = ({ points, seconds: duration }) =>
  new RateLimiterMemory({ points, duration });
const settings = {
  requestsPerMinute: 3,
  triggersPerMinute: 1,
  chatsPerMinute: 0,
  alertsPerMinute: 0,
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
