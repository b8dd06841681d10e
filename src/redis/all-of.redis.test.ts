import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { allOf } from './all-of.js';

let corner: TestRedis;
let limited: Redis;
const user = `limited-${randomUUID()}`;
const allow = (...rules: string[]) => corner.redis.call('ACL', 'SETUSER', user, ...rules);
beforeAll(async () => {
  corner = testRedis();
  await allow('on', '>right', '~*', '&*', '+@all');
  limited = corner.redis.duplicate({ username: user, password: 'right' });
});
afterAll(async () => {
  limited.disconnect();
  await corner.redis.call('ACL', 'DELUSER', user);
  await corner.close();
});

test.each(['multi', 'exec', 'set'])(
  'the error of a transaction names the right that is missing: %s',
  async (command) => {
    await allow(`-${command}`);
    const done = allOf(limited.multi().get(`${corner.prefix}:a`).set(`${corner.prefix}:b`, 1));
    await expect(done).rejects.toThrow(new RegExp(`NOPERM .*'${command}'`));
    await allow(`+${command}`);
  },
);
