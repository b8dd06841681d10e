import { afterAll, beforeAll, describe } from '@jest/globals';
import { budgetSuite } from '../../test/support/suites/budget-suite.js';
import { logSuite, type MakeLog } from '../../test/support/suites/log-suite.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { RedisLog } from './redis-log.js';

let corner: TestRedis;
let config: Config;
beforeAll(() => {
  corner = testRedis();
  config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
});
afterAll(() => corner.close());

const make: MakeLog = (bounds) => new RedisLog(corner.redis, { ...config, ...bounds });

describe('RedisLog', () => logSuite(make));

describe('the token budget in a RedisLog', () => budgetSuite(make));
