import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, spec, started, text } from '../../test/support/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { loadConfig } from '../config/load-config.js';
import type { DraftEvent } from '../domain/events/event.js';
import type { Notice } from '../domain/notifications/next-session.js';
import { EventLog } from '../event-log/event-log.js';
import { DeferredNotices } from './deferred-notices.js';

let corner: TestRedis;
let log: EventLog;
let nextSessions: DeferredNotices;
beforeAll(() => {
  corner = testRedis();
  const config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
  log = new EventLog(corner.redis, config);
  nextSessions = new DeferredNotices(corner.redis, config, log);
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
const cancelled: DraftEvent = {
  name: 'lifecycle.cancelled',
  source: null,
  data: { reason: 'x', report: null },
};
const about = (id: number) => ({ owner: 'me', topology: { ...spec.topology, id } });
const take = async (topologyId: number, runId: string = randomUUID()) =>
  (await nextSessions.takeOut('me', topologyId, 'session', runId)).flatMap(({ notices }) =>
    notices.map(({ id }) => id),
  );

it('of many who come at once each notice is told to one, and none that is handed in at once is lost', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
  await Promise.all(names.map((name) => nextSessions.handIn(about(1), [notice(name)])));
  await nextSessions.handIn(about(1), names.map(notice));
  const taken = await Promise.all(Array.from({ length: 10 }, () => take(1)));
  expect(taken.flat().toSorted()).toEqual(names.toSorted());
  expect(taken.filter(({ length }) => length > 0)).toHaveLength(1);
});

const warning = (details: object): DraftEvent => ({
  name: 'system.warning',
  source: null,
  data: { code: 'X', message: 'it says "carried":true', ...details },
});
const resumed = warning({ code: 'AGENT_RESUMED' });
const carried = warning({ carried: true });
const used: DraftEvent = {
  name: 'llm.usage',
  source: null,
  data: {
    dispatch_id: null,
    turn: 1,
    attempt: 1,
    model: 'm',
    input_tokens: 1,
    output_tokens: 1,
    context_tokens: 2,
    max_context_tokens: 100,
    finish_reason: 'stop',
  },
};
/** More than is read of a log at once. */
const long = Array.from({ length: 120 }, () => resumed);

describe.each([
  ['was cancelled at once', 'untold', [], cancelled],
  ['was resumed, and cancelled before it began', 'untold', [resumed], cancelled],
  [
    'was resumed, and found its time to be up',
    'untold',
    [resumed, warning({ code: 'LIMIT' })],
    completed,
  ],
  [
    'put them to its model, which never answered',
    'untold',
    [carried, warning({ code: 'AI_ERROR' })],
    completed,
  ],
  ['has answered', 'told', [carried, text('Well.')], completed],
  ['was cancelled in its answer', 'told', [carried, text('Well')], cancelled],
  [
    'was resumed many times, and has answered',
    'told',
    [...long, carried, ...long, used],
    completed,
  ],
] as const)('a turn that has taken notices and %s', (_, fate, events, last) => {
  it(`has ${fate} them`, async () => {
    const topology = Math.floor(Math.random() * 1e9);
    await nextSessions.handIn(about(topology), [notice('a')]);
    const turn = randomUUID();
    expect(await take(topology, turn)).toEqual(['a']);
    await log.create(turn, spec, [started]);
    await log.claim(turn, 'top');
    await log.append(turn, { writer: 'top', epoch: 1, step: 1, events: [...events] });
    expect(await take(topology)).toEqual([]);
    await log.seal(turn, () => last);
    expect(await take(topology)).toEqual(fate === 'told' ? [] : ['a']);
  });
});

it.each([
  ['used tokens', [carried, used], cancelled, []],
  ['was completed', [carried, text('Well.')], completed, []],
  ['came to nothing', [resumed], cancelled, ['a']],
] as const)(
  'where the log is gone of a turn that %s, what is left of it decides',
  async (_, events, last, next) => {
    const topology = Math.floor(Math.random() * 1e9);
    await nextSessions.handIn(about(topology), [notice('a')]);
    const turn = randomUUID();
    await take(topology, turn);
    await log.create(turn, spec, [started, ...events]);
    await log.seal(turn, () => last);
    await log.trim(turn);
    expect(await take(topology)).toEqual(next);
  },
);

it('nothing is left behind for ever', async () => {
  await nextSessions.handIn(about(3), [notice('a')]);
  const seconds = await corner.redis.ttl(`${corner.prefix}:{caller:me}:next-session:3`);
  expect(seconds).toBeGreaterThan(0);
});
