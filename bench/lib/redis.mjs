import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromDist, WORK } from './product.mjs';

/** A private Redis with an append-only file, as `npm start` starts it. */
export async function startRedis() {
  const { startPrivateRedis } = await fromDist('local/private-redis.js');
  const dir = join(WORK, `redis-${process.pid}`);
  mkdirSync(dir, { recursive: true });
  const redis = await startPrivateRedis({ dir });
  return {
    url: redis.url,
    port: redis.port,
    async stop() {
      await redis.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
