import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completed, spec, started, text } from '../../test/support/incidents/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { loadConfig } from '../config/load-config.js';
import { RedisLog } from './redis-log.js';

let corner: TestRedis;
let log: RedisLog;
beforeAll(() => {
  corner = testRedis();
  log = new RedisLog(
    corner.redis,
    loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix }),
  );
});
afterAll(() => corner.close());

async function begun(): Promise<string> {
  const runId = randomUUID();
  await log.create(runId, spec, [started]);
  return runId;
}

const lostUpTo = async (runId: string) => (await log.state(runId))?.lostUpTo;

describe('a log that has lost its last events', () => {
  it('keeps the highest sequence that was seen', async () => {
    const runId = await begun();
    expect(await lostUpTo(runId)).toBe(0);
    for (const seen of [7, 12, 9, 0]) await log.markLost(runId, seen);
    expect(await lostUpTo(runId)).toBe(12);
  });

  it('does not create a run that does not exist', async () => {
    const runId = randomUUID();
    await log.markLost(runId, 5);
    expect(await corner.redis.exists(log.keys(runId).state)).toBe(0);
  });

  it.each([
    [
      'whose last step was lost',
      async (runId: string) =>
        void (await corner.redis.hset(log.keys(runId).writers, 'w', '1:0:0:0:1:0')),
    ],
    [
      'whose claim was lost',
      async (runId: string) =>
        void (await corner.redis.hset(log.keys(runId).writers, 'w', '0:0:0:0:1:0')),
    ],
  ])('is detected by a writer %s', async (_, lose) => {
    const runId = await begun();
    await log.claim(runId, 'w');
    const step = (step: number, seen: number) =>
      log.append(runId, { writer: 'w', epoch: 1, step, events: [text('x')], seen });
    await step(1, 0);
    await lose(runId);
    expect((await step(2, 8)).kind).toMatch(/gap|fenced/);
    expect(await lostUpTo(runId)).toBe(8);
  });

  it('is not assumed if an older writer is late', async () => {
    const runId = await begun();
    await log.claim(runId, 'w');
    await log.claim(runId, 'w');
    expect(
      await log.append(runId, { writer: 'w', epoch: 1, step: 1, events: [text('x')], seen: 3 }),
    ).toEqual({ kind: 'fenced' });
    expect(await lostUpTo(runId)).toBe(0);
  });
});

it('reports whether this Redis process accepted the run', async () => {
  const runId = await begun();
  expect(await log.hasMoved(runId)).toBe(false);
  await corner.redis.hset(log.keys(runId).state, 'store', 'another');
  expect(await log.hasMoved(runId)).toBe(true);
  // As in a run that was written before the field existed, or if INFO is not allowed.
  await corner.redis.hdel(log.keys(runId).state, 'store');
  expect(await log.hasMoved(runId)).toBe(false);
});

it('counts starts without progress, concurrent ones once, and none after the end of a run', async () => {
  const runId = await begun();
  expect(await Promise.all([log.countStart(runId), log.countStart(runId)])).toEqual([1, 1]);
  await sleep(1_050);
  expect(await log.countStart(runId)).toBe(2);
  await log.claim(runId, 'w');
  await log.append(runId, { writer: 'w', epoch: 1, step: 1, events: [text('x')] });
  expect(await log.countStart(runId)).toBe(1);
  await log.append(runId, { writer: 'w', epoch: 1, step: 2, events: [completed], done: true });
  expect(await log.countStart(runId)).toBe(0);
});

it('refuses a run of a later version of the service', async () => {
  const runId = await begun();
  expect(await corner.redis.hget(log.keys(runId).state, 'version')).toBe('1');
  await corner.redis.hset(log.keys(runId).state, 'version', '2');
  await expect(log.state(runId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await log.claim(runId, 'w')).toEqual({ kind: 'newer' });
  await corner.redis.hset(log.keys(runId).state, 'version', '1');
  expect(await log.claim(runId, 'w')).toMatchObject({ kind: 'claimed', epoch: 1 });
});
