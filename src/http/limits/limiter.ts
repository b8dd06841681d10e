import type { Redis } from 'ioredis';
import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';

/** A number of points per number of seconds, for each key. */
export interface Quota {
  name: string;
  points: number;
  seconds: number;
}

export type Limiter = Pick<RateLimiterAbstract, 'consume'>;

/** Creates the limiter of a quota. */
export type MakeLimiter = (quota: Quota) => Limiter;

/**
 * Limiters over all processes. While Redis does not answer, each process counts separately.
 * @param prefix of the keys
 */
export const redisLimiters =
  (redis: Redis, prefix: string): MakeLimiter =>
  ({ name, points, seconds: duration }) =>
    new RateLimiterRedis({
      storeClient: redis,
      points,
      duration,
      keyPrefix: `${prefix}:limit:${name}`,
      rejectIfRedisNotReady: true,
      // A caller that is over its limit costs no command.
      inMemoryBlockOnConsumed: points,
      insuranceLimiter: new RateLimiterMemory({ points, duration }),
    });
