import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { RunIndex } from './run-index.js';

const LISTS = { topologyId: 1, tenant: 'default' };

let own: TestRedis;
beforeEach(() => {
  own = testRedis();
});
afterEach(() => own.close());

it('lets one of several processes close a run, also after it was opened again', async () => {
  const index = new RunIndex(own.redis, { redisPrefix: own.prefix } as Config, Date);
  const closeTwice = async () =>
    (await Promise.all([index.close('r', LISTS), index.close('r', LISTS)])).toSorted();
  await index.add('r', LISTS);
  expect(await closeTwice()).toEqual([false, true]);
  expect(await closeTwice()).toEqual([false, false]);
  await index.reopen({ runId: 'r', endedAt: 1, ...LISTS });
  expect(await closeTwice()).toEqual([false, true]);
});
