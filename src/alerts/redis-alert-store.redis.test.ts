import { afterAll, describe } from '@jest/globals';
import { testRedis } from '../../test/support/redis.js';
import { alertStoreSuite } from '../../test/support/suites/alert-store-suite.js';
import type { Config } from '../config/config.js';
import { RedisAlertStore } from './redis-alert-store.js';

const redis = testRedis();
afterAll(() => redis.close());

let made = 0;
describe('RedisAlertStore', () =>
  alertStoreSuite(() => {
    const redisPrefix = `${redis.prefix}-${++made}`;
    return new RedisAlertStore(redis.redis, { redisPrefix, indexRetentionDays: 1 } as Config);
  }));
