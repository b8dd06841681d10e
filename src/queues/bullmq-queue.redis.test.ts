import { describe } from '@jest/globals';
import { queueSuite } from '../../test/support/suites/queue-suite.js';
import { testRedis } from '../../test/support/redis.js';
import { loadConfig } from '../config/load-config.js';
import { BullmqQueue } from './bullmq-queue.js';

describe('BullmqQueue', () =>
  queueSuite(() => {
    const corner = testRedis();
    const config = loadConfig({
      ...{ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix },
      ...{ GLOBAL_SUPERVISOR_CONCURRENCY: '1', TEAM_SUPERVISOR_CONCURRENCY: '1' },
      ...{ WORKER_CONCURRENCY: '1', ORACLE_CONCURRENCY: '1' },
    });
    const queue = new BullmqQueue(config);
    const close = async () => {
      await queue.onApplicationShutdown();
      await corner.close();
    };
    return { queue, close };
  }));
