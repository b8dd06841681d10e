import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { completed, spec, started, text } from '../../test/support/incidents/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { RedisLog } from './redis-log.js';

let corner: TestRedis;
let config: Config;
let limited: Redis;
let full: RedisLog;
let log: RedisLog;
const user = `limited-${randomUUID()}`;
const allow = (...rules: string[]) => corner.redis.call('ACL', 'SETUSER', user, ...rules);
beforeAll(async () => {
  corner = testRedis();
  config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
  await allow('on', '>right', '~*', '&*', '+@all');
  limited = corner.redis.duplicate({ username: user, password: 'right' });
  full = new RedisLog(corner.redis, config);
  log = new RedisLog(limited, config);
});
afterAll(async () => {
  limited.disconnect();
  await corner.redis.call('ACL', 'DELUSER', user);
  await corner.close();
});

/** Everything that Redis has of a run. */
async function everything(runId: string): Promise<unknown[]> {
  const keys = (await corner.redis.keys(`${corner.prefix}:{${runId}}*`)).toSorted();
  return Promise.all(keys.map(async (key) => [key, await corner.redis.dumpBuffer(key)]));
}

const RECORD = ['xadd', 'hset', 'publish'];
const writes: [string, string[], (on: RedisLog, runId: string) => Promise<unknown>][] = [
  ['create', RECORD, (on, runId) => on.create(runId, spec, [started])],
  ['claim', ['hset'], (on, runId) => on.claim(runId, 'v')],
  [
    'append',
    [...RECORD, 'hdel', 'del', 'rpush'],
    (on, runId) => {
      const step = { writer: 'w', epoch: 1, step: 1, events: [text('Looks well.')] };
      return on.append(runId, { ...step, checkpoint: '{}', messages: ['{}'] });
    },
  ],
  ['note', RECORD, (on, runId) => on.note(runId, [text('A note.')])],
  ['seal', RECORD, (on, runId) => on.seal(runId, () => Promise.resolve(completed))],
];

test.each(
  writes.flatMap(([name, commands, write]) =>
    commands.map((command) => [name, command, write] as const),
  ),
)(
  '%s writes nothing while the user may not run %s, and all after that',
  async (name, command, write) => {
    const runId = randomUUID();
    if (name !== 'create') {
      await full.create(runId, spec, [started]);
      await full.claim(runId, 'w');
    }
    const before = await everything(runId);
    await allow(`-${command}`);
    await expect(write(log, runId)).rejects.toThrow(
      /^(NOPERM .*|ERR The user executing the script)/,
    );
    expect(await everything(runId)).toEqual(before);
    await allow(`+${command}`);
    await write(log, runId);
    const { lastSequence, frames } = await full.read(runId, 0, 100);
    expect(frames).toHaveLength(lastSequence);
  },
);

test.each(['hset', 'hdel', 'unlink'])('a trim deletes nothing without %s', async (command) => {
  const runId = randomUUID();
  await full.create(runId, spec, [started]);
  await full.seal(runId, () => Promise.resolve(completed));
  const before = await everything(runId);
  await allow(`-${command}`);
  await expect(log.trim(runId)).rejects.toThrow(/^NOPERM/);
  expect(await everything(runId)).toEqual(before);
  await allow(`+${command}`);
  await log.trim(runId);
  expect(await corner.redis.exists(full.keys(runId).log)).toBe(0);
});

test('a run whose creation was cut off half-way does not exist, and can be created again', async () => {
  const runId = randomUUID();
  const { state } = full.keys(runId);
  await corner.redis.hset(state, { status: 'queued', version: '1', created: '1', head: '{}' });
  expect(await log.state(runId)).toBeUndefined();
  expect(await log.seal(runId, () => Promise.resolve(completed))).toBeUndefined();
  expect(await log.claim(runId, 'w')).toEqual({ kind: 'missing' });
  await log.create(runId, spec, [started]);
  expect(await log.state(runId)).toMatchObject({ status: 'queued', lastSequence: 1 });
});
