import { Redis } from 'ioredis';
import { startPrivateRedis } from '../../../src/local/private-redis.js';
import { startCommandWith, type Command } from './command.js';

/**
 * The commands of Redis without which `POST /api/oracle` cannot answer: what MONITOR shows during
 * an answer, scripts included.
 */
export const COMMANDS_OF_AN_ANSWER = [
  'eval',
  'evalsha',
  'multi',
  'exec',
  'get',
  'set',
  'del',
  'incr',
  'exists',
  'expire',
  'time',
  'hget',
  'hmget',
  'hgetall',
  'hkeys',
  'hset',
  'hmset',
  'hdel',
  'hexists',
  'hincrby',
  'xadd',
  'xrange',
  'publish',
  'rpush',
  'zadd',
  'zremrangebyscore',
];

/**
 * A service that signs in to its Redis as the user `shop`, who may do anything until `admin` takes
 * rights away.
 */
export interface ServiceOfUser {
  admin: Redis;
  service: Command;
  url: string;
  close: () => Promise<void>;
}

export async function startServiceOfUser(env: Record<string, string>): Promise<ServiceOfUser> {
  const server = await startPrivateRedis();
  const admin = new Redis(server.url);
  await admin.call('ACL', 'SETUSER', 'shop', 'on', '>right', '~*', '&*', '+@all');
  const own = {
    REDIS_URL: server.url.replace('redis://', 'redis://shop:right@'),
    PORT: '0',
    LOG_LEVEL: 'error',
    SHUTDOWN_GRACE_SECONDS: '0',
  };
  const service = startCommandWith({ ...own, ...env }, 'src/main.ts');
  const said = await service.printed(/listens on http:\S+,/);
  const close = async () => {
    service.child.kill('SIGKILL');
    admin.disconnect();
    await server.stop();
  };
  return { admin, service, url: /listens on (\S+),/.exec(said)?.[1] ?? '', close };
}
