import { Redis } from 'ioredis';

/**
 * A connection that keeps trying to come back.
 * @param commandTimeout ms after which a command that had no answer fails instead of hanging; whoever may repeat it does
 *   (the append script answers a repeated step with what it recorded). Undefined for connections that block or subscribe.
 */
export function connect(url: string | undefined, commandTimeout?: number): Redis {
  if (url === undefined) throw new Error('no Redis URL: start a private Redis first, or set REDIS_URL');
  const redis = new Redis(url, {
    ...(commandTimeout === undefined ? {} : { commandTimeout }),
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1_000),
  });
  // Without a listener ioredis prints each failed reconnect; readiness tells of it instead.
  redis.on('error', () => undefined);
  return redis;
}
