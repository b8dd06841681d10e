import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { buildForTests } from './build.mjs';

/**
 * Builds the service at TEST_BUILD, which has the programs of threads too, and starts one private
 * Redis for the whole run at TEST_REDIS_URL. `testRedis()` in test/support gives each test its own
 * key prefix.
 */
export default async function setUp() {
  process.env.TEST_BUILD = await buildForTests();
  process.env.TEST_THREADS = process.env.TEST_BUILD;
  const file = join(process.env.TEST_BUILD, 'src/local/private-redis.mjs');
  const { startPrivateRedis } = await import(pathToFileURL(file).href);
  const redis = await startPrivateRedis({ say: (line) => process.stderr.write(`${line}\n`) });
  process.env.TEST_REDIS_URL = redis.url;
  // Tests must not use the developer's Redis.
  delete process.env.REDIS_URL;
  globalThis.privateRedisOfTests = redis;
}
