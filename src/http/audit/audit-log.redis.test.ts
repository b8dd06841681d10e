import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../../test/support/redis.js';
import { auditKeys, auditLogsKey } from '../../redis/keys.js';
import type { AuditRecord } from './audit-entry.js';
import { AuditLog } from './audit-log.js';

beforeAll(() => void Logger.overrideLogger(false));
afterAll(() => void Logger.overrideLogger(['error']));

let own: TestRedis;
const clock = { now: () => Date.now() };
const open = () => new AuditLog(own.redis, { redisPrefix: own.prefix }, clock);
const record = (path: string, tenant = 'acme'): AuditRecord => ({
  at: '2026-11-22T22:00:00.000Z',
  tenant,
  principal: 'ann',
  action: 'runs:start',
  method: 'POST',
  path,
  status: 202,
  address: '10.0.0.1',
});
beforeEach(() => void (own = testRedis()));
afterEach(() => own.close());

it('chains the entries of a tenant, whichever process records them', async () => {
  const logs = [open(), open(), open()];
  await Promise.all(
    logs.flatMap((log, i) =>
      Array.from({ length: 10 }, (_, j) => log.record(record(`/runs/${i}/${j}`))),
    ),
  );
  expect(await open().check('acme')).toEqual({ entries: 30, brokenAt: null });
  expect(await open().check('globex')).toEqual({ entries: 0, brokenAt: null });
});

it('loses no entry of a burst in two processes', async () => {
  const logs = [open(), open()];
  await Promise.all(
    logs.flatMap((log, i) =>
      Array.from({ length: 300 }, (_, j) => log.record(record(`/runs/${i}/${j}`))),
    ),
  );
  expect(await open().check('acme')).toEqual({ entries: 600, brokenAt: null });
});

it('records the others if one entry cannot be written', async () => {
  const log = open();
  await own.redis.set(auditKeys(own.prefix, 'acme').log, 'no stream');
  await log.record(record('/lost'));
  await own.redis.del(auditKeys(own.prefix, 'acme').log, auditKeys(own.prefix, 'acme').last);
  await log.record(record('/kept'));
  expect(await log.check('acme')).toEqual({ entries: 1, brokenAt: null });
});

it('checks what was written before, while other entries are written', async () => {
  const writer = open();
  await writer.record(record('/1'));
  const redis = new Proxy(own.redis, {
    get: (target, key) =>
      key === 'xrange'
        ? async (...args: [string, string, string, 'COUNT', number]) => {
            const found = await target.xrange(...args);
            await writer.record(record('/meanwhile'));
            return found;
          }
        : (Reflect.get(target, key) as unknown),
  });
  const log = new AuditLog(redis, { redisPrefix: own.prefix }, clock);
  expect(await log.check('acme')).toEqual({ entries: 1, brokenAt: null });
});

it('lists the entries of a tenant, newest first, in pages', async () => {
  const log = open();
  for (const path of ['/1', '/2', '/3']) await log.record(record(path));
  await log.record(record('/foreign', 'globex'));
  const first = await log.page('acme', 2);
  expect(first.items.map(({ path }) => path)).toEqual(['/3', '/2']);
  const second = await log.page('acme', 2, first.nextCursor ?? '');
  expect(second.items.map(({ path }) => path)).toEqual(['/1']);
  expect(second.nextCursor).toBeNull();
});

it('finds an entry that was changed, removed, or cut off', async () => {
  const log = open();
  for (const path of ['/1', '/2', '/3']) await log.record(record(path));
  const key = auditKeys(own.prefix, 'acme').log;
  const [, second, third] = await own.redis.xrange(key, '-', '+');
  const [id = '', fields = []] = second ?? [];
  await own.redis.xdel(key, id);
  expect(await log.check('acme')).toEqual({ entries: 2, brokenAt: 2 });
  await own.redis.del(key);
  await own.redis.xadd(key, '*', 'e', (fields[1] ?? '').replace('ann', 'eve'));
  expect((await log.check('acme')).brokenAt).toBe(1);
  await own.redis.del(key);
  await own.redis.xadd(key, '*', 'e', fields[1] ?? '');
  await own.redis.xadd(key, '*', 'e', third?.[1][1] ?? '');
  expect(await log.check('acme')).toEqual({ entries: 2, brokenAt: 1 });
});

it('finds that the newest entry was removed', async () => {
  const log = open();
  for (const path of ['/1', '/2']) await log.record(record(path));
  const { log: key } = auditKeys(own.prefix, 'acme');
  const [[id = ''] = []] = await own.redis.xrevrange(key, '+', '-', 'COUNT', 1);
  await own.redis.xdel(key, id);
  expect(await log.check('acme')).toEqual({ entries: 1, brokenAt: 2 });
});

const oldestId = async (): Promise<string> => {
  const [[id = ''] = []] = await own.redis.xrange(
    auditKeys(own.prefix, 'acme').log,
    '-',
    '+',
    'COUNT',
    1,
  );
  return id;
};

/** Records many entries, of which the earlier ones are as old as what retention trims. */
async function trimmed(log: AuditLog): Promise<void> {
  const many = (path: string) =>
    Promise.all(Array.from({ length: 200 }, (_, i) => log.record(record(`/${path}/${i}`))));
  await many('old');
  const until = Date.now() + 1;
  while (Date.now() < until) await nextTurn();
  await many('new');
  const oldClock = { now: () => until + 400 * 86_400_000 };
  await new AuditLog(own.redis, { redisPrefix: own.prefix }, oldClock).record(record('/trims'));
}

it('finds that the oldest entries were removed, unless retention has trimmed them', async () => {
  const log = open();
  await trimmed(log);
  const kept = await log.check('acme');
  expect(kept.entries).toBeGreaterThanOrEqual(201);
  expect(kept.entries).toBeLessThan(401);
  expect(kept.brokenAt).toBeNull();
  await own.redis.xdel(auditKeys(own.prefix, 'acme').log, await oldestId());
  expect(await log.check('acme')).toEqual({ entries: kept.entries - 1, brokenAt: 1 });
  // A later trim does not hide it.
  await trimmed(log);
  expect((await log.check('acme')).brokenAt).toBe(1);
});

it('goes on from what a process knows if the log and its last hash are removed', async () => {
  const log = open();
  for (const path of ['/1', '/2']) await log.record(record(path));
  const keys = auditKeys(own.prefix, 'acme');
  await own.redis.del(keys.log, keys.last, keys.first);
  await log.record(record('/3'));
  expect(await open().check('acme')).toEqual({ entries: 1, brokenAt: 1 });
});

it.each(['before', 'after'])(
  'finds that a log was removed with its hashes, %s another process has written to it',
  async (when) => {
    for (const path of ['/1', '/2']) await open().record(record(path));
    const { log, last, first } = auditKeys(own.prefix, 'acme');
    await own.redis.del(log, last, first);
    expect(await open().check('acme')).toEqual({ entries: 0, brokenAt: 1 });
    if (when === 'before') return;
    await open().record(record('/3'));
    await open().record(record('/4'));
    expect(await open().check('acme')).toEqual({ entries: 2, brokenAt: 1 });
  },
);

it('finds that a log was removed with its last hash', async () => {
  await open().record(record('/1'));
  const { log, last } = auditKeys(own.prefix, 'acme');
  await own.redis.del(log, last);
  expect(await open().check('acme')).toEqual({ entries: 0, brokenAt: 1 });
  await open().record(record('/2'));
  expect(await open().check('acme')).toEqual({ entries: 1, brokenAt: 1 });
});

/**
 * Leaves what an earlier version leaves, which did not record where a log begins that it has
 * trimmed.
 */
async function trimmedBefore(): Promise<void> {
  for (const path of ['/1', '/2', '/3']) await open().record(record(path));
  const { log, first } = auditKeys(own.prefix, 'acme');
  await own.redis.xdel(log, await oldestId());
  await own.redis.del(first, auditLogsKey(own.prefix));
}

it('takes the beginning of a log that an earlier version has trimmed for its beginning', async () => {
  await trimmedBefore();
  expect(await open().check('acme')).toEqual({ entries: 2, brokenAt: null });
  await open().record(record('/4'));
  expect(await open().check('acme')).toEqual({ entries: 3, brokenAt: null });
  await own.redis.xdel(auditKeys(own.prefix, 'acme').log, await oldestId());
  expect(await open().check('acme')).toEqual({ entries: 2, brokenAt: 1 });
});

it('finds that the newest entry was removed from a log of an earlier version', async () => {
  await trimmedBefore();
  const { log } = auditKeys(own.prefix, 'acme');
  const [[id = ''] = []] = await own.redis.xrevrange(log, '+', '-', 'COUNT', 1);
  await own.redis.xdel(log, id);
  expect(await open().check('acme')).toEqual({ entries: 1, brokenAt: 2 });
});

it.each(['no JSON', '{}', 'null'])(
  'finds an entry that is %s, and shows the others',
  async (junk) => {
    const log = open();
    await log.record(record('/1'));
    await own.redis.xadd(auditKeys(own.prefix, 'acme').log, '*', 'e', junk);
    await log.record(record('/2'));
    expect(await log.check('acme')).toEqual({ entries: 3, brokenAt: 2 });
    const first = await log.page('acme', 2);
    expect(first.items.map(({ path }) => path)).toEqual(['/2']);
    const second = await log.page('acme', 2, first.nextCursor ?? '');
    expect(second.items.map(({ path }) => path)).toEqual(['/1']);
  },
);

it('does not throw if the store fails', async () => {
  const broken = { eval: () => Promise.reject(new Error('away')) };
  const log = new AuditLog(broken as never, { redisPrefix: 'p' }, clock);
  await expect(log.record(record('/1'))).resolves.toBeUndefined();
});
