import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spec, started, text } from '../../test/support/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { loadConfig } from '../config/load-config.js';
import type { DraftEvent } from '../domain/events/event.js';
import type { Notice } from '../domain/notifications/next-session.js';
import { EventLog } from '../event-log/event-log.js';
import { NextSessions } from './next-sessions.js';

let corner: TestRedis;
let log: EventLog;
let nextSessions: NextSessions;
beforeAll(() => {
  corner = testRedis();
  const config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
  log = new EventLog(corner.redis, config);
  nextSessions = new NextSessions(corner.redis, config, log);
});
afterAll(() => corner.close());

function notice(id: string): Notice {
  const at = Date.now();
  const row = { type: 'agent.self.remind', severity: 'info', text: id, count: 1, key: id, at } as const;
  const group = { subscriber: 's', name: 'S', priority: 'normal', inject_at: 'turn_start', opened: at, order: 1, closed: true } as const;
  return { id, session: null, at, group: { ...group, rows: [row] } };
}
const cancelled: DraftEvent = { name: 'lifecycle.cancelled', source: null, data: { reason: 'x', report: null } };
const about = (id: number) => ({ owner: 'me', topology: { ...spec.topology, id } });
const take = async (topologyId: number, runId: string = randomUUID()) =>
  (await nextSessions.takeOut('me', topologyId, 'session', runId)).flatMap(({ notices }) => notices.map(({ id }) => id));

it('of many who come at once each notice is told to one, and none that is handed in at once is lost', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
  await Promise.all(names.map((name) => nextSessions.handIn(about(1), [notice(name)])));
  await nextSessions.handIn(about(1), names.map(notice));
  const taken = await Promise.all(Array.from({ length: 10 }, () => take(1)));
  expect(taken.flat().toSorted()).toEqual(names.toSorted());
  expect(taken.filter(({ length }) => length > 0)).toHaveLength(1);
});

it('what a turn has taken that ended before it began is told by the next; what a turn has told is not told again', async () => {
  await nextSessions.handIn(about(2), [notice('a')]);
  const silent = randomUUID();
  expect(await take(2, silent)).toEqual(['a']);
  await log.create(silent, spec, [started]);
  expect(await take(2)).toEqual([]);
  await log.seal(silent, () => cancelled);
  const told = randomUUID();
  expect(await take(2, told)).toEqual(['a']);
  await log.create(told, spec, [started, text('Well.')]);
  await log.seal(told, () => cancelled);
  expect(await take(2)).toEqual([]);
});

it('nothing is left behind for ever', async () => {
  await nextSessions.handIn(about(3), [notice('a')]);
  const seconds = await corner.redis.ttl(`${corner.prefix}:{caller:me}:next-session:3`);
  expect(seconds).toBeGreaterThan(0);
});
