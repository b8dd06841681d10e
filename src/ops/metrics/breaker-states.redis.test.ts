import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../../test/support/redis.js';
import type { Config } from '../../config/config.js';
import { ModelLimiter } from '../../models/calls/model-limiter.js';
import { Models, type ModelEntry } from '../../models/models.js';
import { BreakerStates } from './breaker-states.js';

let own: TestRedis;
beforeEach(() => void (own = testRedis()));
afterEach(() => own.close());

it('reads the breakers of all models but the built-in one', async () => {
  const entries = ['well', 'broken'].map((name) => ({ name }) as ModelEntry);
  const states = new BreakerStates(new Models(entries), own.redis, {
    redisPrefix: own.prefix,
  } as Config);
  const limiter = new ModelLimiter(own.redis, own.prefix);
  for (let i = 0; i < 5; i++) {
    const entered = await limiter.acquire({ name: 'broken' }, { id: `call ${i}`, priority: 0 });
    if (entered.kind === 'granted') await entered.lease.release('failed');
  }
  expect(await states.read()).toEqual(
    new Map([
      ['well', 'closed'],
      ['broken', 'open'],
    ]),
  );
});
