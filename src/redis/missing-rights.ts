import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { allOf } from './all-of.js';
import { queuePrefix } from './keys.js';
import { deniedAccess } from './store-failure.js';

/** s after which Redis removes a trial key of a process that was killed. */
const TRIAL_SECONDS = 10;

/**
 * Tries the commands without which no run and no chat can be served, on its own keys: users may not
 * ask Redis for their rights.
 * @param prefix REDIS_PREFIX
 * @returns the commands that Redis denies, each with its remedy
 */
export async function missingRights(redis: Redis, prefix: string): Promise<string[]> {
  const trial = randomUUID();
  const key = `${prefix}:{trial}:${trial}`;
  const channel = `${prefix}:trial`;
  // In a cluster, messages stay in the shard of their run.
  const [publish, subscribe]: ['publish' | 'spublish', 'subscribe' | 'ssubscribe'] = redis.isCluster
    ? ['spublish', 'ssubscribe']
    : ['publish', 'subscribe'];
  const jobs = `${queuePrefix(prefix)}:trial:${trial}`;
  // After the first, most find a value of another type: that also shows that they are allowed.
  const calls: [string, ...(string | number)[]][] = [
    ['set', key, '', 'EX', TRIAL_SECONDS],
    ['get', jobs],
    ['incr', key],
    ['exists', key],
    ['hgetall', key],
    ['hkeys', key],
    ['hget', key, 'f'],
    ['hmget', key, 'f'],
    ['hdel', key, 'f'],
    ['hexists', key, 'f'],
    ['hset', key, 'f', 'v'],
    ['hmset', key, 'f', 'v'],
    ['hincrby', key, 'f', 1],
    ['rpush', key, 'v'],
    ['zadd', key, 1, 'v'],
    ['zremrangebyscore', key, 1, 2],
    ['xadd', key, '*', 'f', 'v'],
    ['xrange', key, '-', '+'],
    ['eval', 'return 1', 1, key],
    ['evalsha', '0'.repeat(40), 1, key],
    ['bzpopmin', key, 1],
    [publish, channel, ''],
    ['time'],
    ['expire', key, TRIAL_SECONDS],
    ['del', key],
  ];
  const tried = await Promise.allSettled([
    ...calls.map(([name, ...args]) => redis.call(name, ...args)),
    allOf(redis.multi().exists(key)),
    onSubscriber(redis, (subscriber) => subscriber[subscribe](channel)),
  ]);
  const lacking = tried.flatMap((each) => {
    const denied = each.status === 'rejected' ? deniedAccess(each.reason) : undefined;
    return denied ? [`${denied.fault} ${denied.remedy}`] : [];
  });
  return [...new Set(lacking)];
}

/** Subscribes on a separate connection: one that has subscribed runs no other commands. */
async function onSubscriber(
  redis: Redis,
  subscribe: (subscriber: Redis) => Promise<unknown>,
): Promise<void> {
  const subscriber = redis.duplicate();
  subscriber.on('error', () => undefined);
  try {
    await subscribe(subscriber);
  } finally {
    subscriber.disconnect();
  }
}
