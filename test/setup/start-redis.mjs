import { register } from 'node:module';

/** One private Redis for the whole run, at TEST_REDIS_URL; `testRedis()` in test/support gives each test a corner of it. */
export default async function startRedis() {
  // Jest's own transform does not reach a global set-up that is an ES module.
  register('../../scripts/ts-hooks.mjs', import.meta.url);
  const { startPrivateRedis } = await import('../../src/local/private-redis.ts');
  const redis = await startPrivateRedis({ say: (line) => process.stderr.write(`${line}\n`) });
  process.env.TEST_REDIS_URL = redis.url;
  // Tests must not find the developer's own.
  delete process.env.REDIS_URL;
  globalThis.privateRedisOfTests = redis;
}
