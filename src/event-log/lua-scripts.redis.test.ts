import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { spec, started } from '../../test/support/incidents/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { logScripts } from './lua/index.js';
import { PRELUDE } from './lua/prelude.js';
import { MemoryLog } from './memory-log.js';
import { RedisLog } from './redis-log.js';
import {
  BOUNDS,
  EVERY_ANSWER,
  NEVER_SEALED,
  op,
  type Op,
} from '../../test/support/generators/log-operations.js';
import {
  STAMP,
  both,
  expectHeads,
  expectSameState,
  framesOf,
  withoutTime,
} from '../../test/support/streams/compare-logs.js';

let corner: TestRedis;
let config: Config;
let ear: Redis;
let heard: Buffer[] = [];
beforeAll(() => {
  corner = testRedis();
  ear = corner.redis.duplicate();
  ear.on('messageBuffer', (_channel: Buffer, message: Buffer) => heard.push(message));
  config = loadConfig({ REDIS_URL: corner.url, REDIS_PREFIX: corner.prefix });
});
afterAll(async () => {
  ear.disconnect();
  await corner.close();
});

describe('the Lua scripts', () => {
  it('return the same bytes as MemoryLog', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...BOUNDS),
        fc.array(op, { minLength: 5, maxLength: 60, size: 'max' }),
        fc.array(op, { maxLength: 5 }),
        async (bounds, ops, late) => {
          const runId = randomUUID();
          const logs = {
            redis: new RedisLog(corner.redis, { ...config, ...bounds }),
            memory: new MemoryLog(bounds),
          };
          await ear.subscribe(logs.redis.keys(runId).feed);
          heard = [];
          const at = new Map<string, { epoch: number; step: number }>();
          for (const next of [{ op: 'create' } as Op, ...ops])
            seen.add(`${next.op}: ${await both(logs, runId, at, next)}`);

          const frames = await framesOf(logs.redis, runId);
          const expected = await framesOf(logs.memory, runId);
          expect(frames.map(withoutTime)).toEqual(expected.map(withoutTime));
          const stamps = frames.map((frame) => STAMP.exec(frame.toString())?.[1] ?? '');
          expect(stamps).toEqual(stamps.toSorted());
          await ear.ping();
          const published = heard.map((message) => message.subarray(message.indexOf(10) + 1));
          expect(Buffer.concat(published).equals(Buffer.concat(frames))).toBe(true);
          const state = await logs.redis.state(runId);
          expectHeads(heard, frames.length, state?.status);
          await ear.unsubscribe();

          await expectSameState(logs, runId);
          if (state?.endedAt) expect(new Date(state.endedAt).toISOString()).toBe(stamps.at(-1));
          expect(Number(await corner.redis.hget(logs.redis.keys(runId).state, 'bytes'))).toBe(
            Buffer.concat(frames).length,
          );

          // After the log was trimmed, if the run has ended.
          const trimmed = await both(logs, runId, at, { op: 'trim' });
          seen.add(`trim: ${trimmed}`);
          for (const next of late)
            seen.add(`${trimmed}, ${next.op}: ${await both(logs, runId, at, next)}`);
          await expectSameState(logs, runId);
        },
      ),
      {
        numRuns: 150,
        examples: [EVERY_ANSWER, NEVER_SEALED],
        // Reports the counterexample that was found before Jest ends the test.
        plugins: [
          fc.interruptAfterTimeLimit(500_000, { failOnInterrupt: true }),
          fc.timeout(60_000),
        ],
      },
    );
    // The test is only useful if the random operations produce the interesting results.
    for (const kind of ['ok', 'sealed', 'fenced', 'gap', 'full'])
      expect([...seen]).toContain(`append: ${kind}`);
    for (const kind of ['claimed', 'sealed', 'done', 'suspect'])
      expect([...seen]).toContain(`claim: ${kind}`);
    for (const kind of ['trim: open', 'gone, claim: sealed', 'gone, append: sealed'])
      expect([...seen]).toContain(kind);
  });

  it('format dates like Date', async () => {
    const iso = `${PRELUDE} local out = {} for i, ms in ipairs(ARGV) do out[i] = iso(tonumber(ms)) end return out`;
    const leaps = [
      0, 951_782_400_000, 951_868_799_999, 4_107_542_399_999, 1_709_164_800_000,
      253_402_300_799_999,
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 253_402_300_799_999 }), {
          minLength: 200,
          maxLength: 200,
        }),
        async (some) => {
          const dates = [...leaps, ...some];
          expect(await corner.redis.eval(iso, 0, ...dates)).toEqual(
            dates.map((ms) => new Date(ms).toISOString()),
          );
        },
      ),
      { numRuns: 20 },
    );
    // Every day of four centuries.
    const days = Array.from({ length: 146_097 }, (_, day) => day * 86_400_000 + 86_399_999);
    for (let i = 0; i < days.length; i += 5_000) {
      const some = days.slice(i, i + 5_000);
      expect(await corner.redis.eval(iso, 0, ...some)).toEqual(
        some.map((ms) => new Date(ms).toISOString()),
      );
    }
  });

  it('record nothing of an invalid step', async () => {
    const log = new RedisLog(corner.redis, config);
    const runId = randomUUID();
    await log.create(runId, spec, [started]);
    await log.claim(runId, 'w');
    const before = await everything(runId);
    const k = log.keys(runId);
    const keys = [
      k.log,
      k.state,
      k.evidence,
      k.dispatches,
      k.reports,
      k.writers,
      k.checkpoints,
      k.messages('w'),
      k.budget,
    ];
    const head = [runId, k.feed, 'w', 1, 1, '1', '0', 100, 1e6, 0, '{}', 1, 'a message'];
    const good = ['llm.stream', '', '', ',"data":{}}'];
    for (const bad of [
      ['system.warning', 'once', 'a:b:c', ',"data":{}}'],
      ['llm.usage', 'usage', 'NaN:1:', ',"data":{"x":\0}}'],
      ['lifecycle.failed', 'seal', 'running', ',"data":{}}'],
      ['lifecycle.failed', 'seal', 'failed', ',"data":{}}', ...good],
      ['llm.stream', '', ''],
    ])
      await expect(
        corner.redis.eval(
          logScripts('PUBLISH').consiliumAppend.lua,
          9,
          ...keys,
          ...head,
          ...good,
          ...bad,
        ),
      ).rejects.toThrow(/^INVALID /);
    await expect(
      corner.redis.eval(
        logScripts('PUBLISH').consiliumSeal.lua,
        5,
        ...keys.slice(0, 5),
        runId,
        k.feed,
        0,
        -1,
        ...good,
      ),
    ).rejects.toThrow(/^INVALID /);
    expect(await everything(runId)).toEqual(before);
  });
});
/** Everything that Redis has of a run. */
async function everything(runId: string): Promise<unknown[]> {
  const keys = (await corner.redis.keys(`${corner.prefix}:{${runId}}*`)).toSorted();
  return Promise.all(keys.map(async (key) => [key, await corner.redis.dumpBuffer(key)]));
}
