import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedisCluster } from '../../test/support/programs/redis-cluster.js';
import { startPrivateRedis, type PrivateRedis } from '../local/private-redis.js';
import { checkStore } from './check-store.js';
import { connect } from './connect.js';
import { missingRights } from './missing-rights.js';
import { COMMANDS_OF_AN_ANSWER } from '../../test/support/processes/service-of-user.js';

let server: PrivateRedis;
let admin: Redis;
beforeAll(async () => {
  server = await startPrivateRedis();
  admin = new Redis(server.url);
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

/** The rules of docs/security.md. */
const KEYS = ['~consilium:*', '~{consilium}:*'];
const CHANNELS = ['&consilium:*'];
const COMMANDS = ['+@all', '-@admin', '-@dangerous', '+info', '+client|list'];

async function missing(...rules: string[]): Promise<string[]> {
  await admin.call('ACL', 'SETUSER', 'shop', 'reset', 'on', '>pw', ...rules);
  const redis = new Redis(server.url.replace('redis://', 'redis://shop:pw@'));
  try {
    return await missingRights(redis, 'consilium');
  } finally {
    redis.disconnect();
  }
}

test('finds nothing with the rules of the documentation, and leaves no key', async () => {
  expect(await missing(...KEYS, ...CHANNELS, ...COMMANDS)).toEqual([]);
  expect(await admin.keys('*')).toEqual([]);
});

test('accepts a store with these rules, which do not show the passwords of other users', async () => {
  await admin.call(
    'ACL',
    'SETUSER',
    'worker',
    'reset',
    'on',
    '>pw',
    ...KEYS,
    ...CHANNELS,
    ...COMMANDS,
  );
  const redis = new Redis(server.url.replace('redis://', 'redis://worker:pw@'));
  try {
    expect((await checkStore(redis, 'consilium')).refused).toEqual([]);
    await expect(redis.config('GET', 'requirepass')).rejects.toThrow('NOPERM');
  } finally {
    redis.disconnect();
  }
});

test('reads the rules of docs/security.md and docker-compose.yml', () => {
  const written = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  const rules = COMMANDS.join(' ');
  const documented = written('docs/security.md').match(/^user (?:api|worker) .*$/gm) ?? [];
  expect(documented.map((line) => line.slice(line.indexOf('+@all')))).toEqual([rules, rules]);
  const composed = written('docker-compose.yml').match(/'\+@all',\s[^\]#]*/g) ?? [];
  const words = composed.map((part) =>
    [...part.matchAll(/'([+-][^']+)'/g)].map(([, word]) => word),
  );
  expect(words).toEqual([COMMANDS, COMMANDS]);
});

test.each([...COMMANDS_OF_AN_ANSWER, 'subscribe', 'bzpopmin'])(
  'finds that the right to run %s is missing',
  async (command) => {
    const [fault, ...more] = await missing(...KEYS, ...CHANNELS, ...COMMANDS, `-${command}`);
    expect(more).toEqual([]);
    expect(fault).toContain(`'${command}' command`);
    expect(fault).toContain(`Grant +${command} to the user in REDIS_URL (ACL SETUSER).`);
  },
);

test.each([
  ['the keys', [KEYS[1], ...CHANNELS], '~PREFIX:* and ~{PREFIX}:*'],
  ['the keys of the queues', [KEYS[0], ...CHANNELS], '~PREFIX:* and ~{PREFIX}:*'],
  ['the channels', KEYS, '&PREFIX:*'],
])('finds that the right to use %s is missing', async (_, rules, pattern) => {
  const faults = await missing(...(rules as string[]), ...COMMANDS);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`Grant ${pattern} (PREFIX is the value of REDIS_PREFIX)`);
});

test('finds that the rights for messages of a shard are missing in a cluster, and no others', async () => {
  const cluster = await startRedisCluster();
  const missingInCluster = async (...rules: string[]) => {
    for (const node of cluster.nodes)
      await node.call('ACL', 'SETUSER', 'shop', 'reset', 'on', '>pw', ...rules);
    const redis = connect(cluster.url.replace('redis+cluster://', 'redis+cluster://shop:pw@'));
    try {
      return await missingRights(redis, 'consilium');
    } finally {
      redis.disconnect();
    }
  };
  const all = [...KEYS, ...CHANNELS, ...COMMANDS];
  try {
    expect(await missingInCluster(...all, '-publish', '-subscribe')).toEqual([]);
    for (const command of ['spublish', 'ssubscribe'])
      expect(await missingInCluster(...all, `-${command}`)).toEqual([
        expect.stringContaining(`Grant +${command} to the user in REDIS_URL`),
      ]);
  } finally {
    await cluster.stop();
  }
}, 60_000);
