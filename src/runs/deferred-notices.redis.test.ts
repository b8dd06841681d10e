import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { loadConfig } from '../config/load-config.js';
import type { Notice } from '../domain/notifications/deferred-notice.js';
import { DeferredNotices } from './deferred-notices.js';

let corner: TestRedis;
let notices: DeferredNotices;
beforeAll(() => {
  corner = testRedis();
  const config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
  notices = new DeferredNotices(corner.redis, config, { now: () => Date.now() });
});
afterAll(() => corner.close());

function notice(id: string): Notice {
  const at = Date.now();
  const row = {
    type: 'agent.self.remind',
    severity: 'info',
    text: id,
    count: 1,
    key: id,
    at,
  } as const;
  const group = {
    subscriber: 's',
    name: 'S',
    priority: 'normal',
    inject_at: 'turn_start',
    opened: at,
    order: 1,
    closed: true,
  } as const;
  return { id, session: null, at, group: { ...group, rows: [row] } };
}
const ids = async (topologyId: number, session = 'session') =>
  (await notices.waiting('me', topologyId, session)).flatMap((carried) =>
    carried.notices.map(({ id }) => id),
  );

it('keeps notices that are added concurrently', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
  await Promise.all(names.map((name) => notices.add('me', 1, [notice(name)])));
  await notices.add('me', 1, names.map(notice));
  expect((await ids(1)).toSorted()).toEqual(names.toSorted());
});

it('keeps notices until they are removed', async () => {
  await notices.add('me', 2, [notice('a')]);
  const delivered = await notices.waiting('me', 2, 'session');
  expect(await ids(2)).toEqual(['a']);
  await notices.add('me', 2, [notice('b')]);
  await notices.remove('me', 2, delivered);
  expect(await ids(2)).toEqual(['b']);
});

it('keeps the notices of callers and topologies apart', async () => {
  await notices.add('me', 4, [notice('a')]);
  expect(await notices.waiting('you', 4, 'session')).toEqual([]);
  expect(await ids(5)).toEqual([]);
});

it('reads notices of an earlier version of the service', async () => {
  const old = { waiting: [notice('a')], taken: [], known: ['a'], leftOut: null };
  await corner.redis.set(`${corner.prefix}:{caller:me}:next-session:6`, JSON.stringify(old));
  await notices.add('me', 6, [notice('b')]);
  expect((await ids(6)).toSorted()).toEqual(['a', 'b']);
});

it('lets notices expire', async () => {
  await notices.add('me', 3, [notice('a')]);
  const seconds = await corner.redis.ttl(`${corner.prefix}:{caller:me}:next-session:3`);
  expect(seconds).toBeGreaterThan(0);
});
