import { register } from 'node:module';

/** Starts one private Redis for the whole run, at TEST_REDIS_URL. `testRedis()` in test/support gives each test its own key prefix. */
export default async function startRedis() {
  // Jest does not transform a global setup that is an ES module.
  register('../../scripts/ts-hooks.mjs', import.meta.url);
  const { startPrivateRedis } = await import('../../src/local/private-redis.ts');
  const redis = await startPrivateRedis({ say: (line) => process.stderr.write(`${line}\n`) });
  process.env.TEST_REDIS_URL = redis.url;
  // Tests must not use the developer's Redis.
  delete process.env.REDIS_URL;
  globalThis.privateRedisOfTests = redis;
}
