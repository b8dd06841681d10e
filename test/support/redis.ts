import { randomUUID } from 'node:crypto';
import type { Redis as Connection } from 'ioredis';
import { Redis } from './parts.js';

export interface TestRedis {
  /** A connection without a key prefix: keys contain `prefix`, as in the service. */
  redis: Connection;
  url: string;
  /** For REDIS_PREFIX; no other test has it. */
  prefix: string;
  /** Removes every key that has the prefix in its name, and closes the connection. */
  close(): Promise<void>;
}

/**
 * A connection to the Redis of this test run, which test/setup started, with a key prefix of its
 * own.
 */
export function testRedis(): TestRedis {
  const url = process.env['TEST_REDIS_URL'];
  if (url === undefined)
    throw new Error(
      'This test has no Redis. Run it with `npm test -- FILE`; beside a source its name ends in .redis.test.ts.',
    );
  const prefix = `test-${randomUUID()}`;
  // A test fails if Redis does not answer; it does not hang.
  const redis = new Redis(url, { maxRetriesPerRequest: 3 });
  const close = async (): Promise<void> => {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `*${prefix}*`, 'COUNT', 1000);
      if (keys.length > 0) await redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
    redis.disconnect();
  };
  return { redis, url, prefix, close };
}
