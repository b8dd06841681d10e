import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import {
  completed,
  nastyText,
  openEvent,
  spec,
  started,
  terminalEvent,
  text,
} from '../../test/support/drafts.js';
import { budgetSuite } from '../../test/support/suites/budget-suite.js';
import { logSuite, type MakeLog } from '../../test/support/suites/log-suite.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import type { DraftEvent } from '../domain/events/event.js';
import { isTerminalStatus, type RunStatus } from '../domain/run-status.js';
import type { LogPort, Step } from './log-port.js';
import { logScripts } from './lua/index.js';
import { PRELUDE } from './lua/prelude.js';
import { MemoryLog } from './memory-log.js';
import { RedisLog } from './redis-log.js';

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

const STAMP = /"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/;

async function framesOf(log: LogPort, runId: string): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for (;;) {
    const page = await log.read(runId, frames.length, 7);
    frames.push(...page.frames);
    if (frames.length >= page.lastSequence) return frames;
  }
}

/** Operations on one run, by writers that may be late, duplicated or ahead. */
type Op =
  | { op: 'create' }
  | { op: 'claim'; writer: string; suspectAt: number; counts: boolean; name: string }
  | {
      op: 'append';
      writer: string;
      late: number;
      ahead: number;
      events: DraftEvent[];
      more: Pick<Step, 'checkpoint' | 'messages' | 'done' | 'progress'>;
    }
  | { op: 'seal'; event: DraftEvent }
  | { op: 'trim' };

const writer = fc.constantFrom('top', 'd1', 'd1_2');
// Checkpoints and messages are JSON.
const json = nastyText.map((nasty) => JSON.stringify(nasty));
const events = fc.oneof(
  { weight: 12, arbitrary: fc.array(openEvent, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(openEvent, { maxLength: 2 }), terminalEvent)
      .map(([open, last]) => [...open, last]),
  },
);
const append: fc.Arbitrary<Op> = fc.record({
  op: fc.constant('append' as const),
  writer,
  late: fc.constantFrom(0, 0, 0, 0, 1),
  ahead: fc.constantFrom(1, 1, 1, 1, 1, 0, 2, -1),
  events,
  more: fc.record(
    {
      checkpoint: json,
      messages: fc.array(json, { maxLength: 3 }),
      done: fc.constantFrom(false, false, false, true),
      progress: fc.constantFrom(true, false, 'going' as const),
    },
    { requiredKeys: [] },
  ),
});
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Op>({ op: 'create' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('claim' as const),
      writer,
      suspectAt: fc.constantFrom(0, 0, 2),
      counts: fc.boolean(),
      name: fc.constantFrom('', '', 'a', 'b'),
    }),
  },
  { weight: 14, arbitrary: append },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('seal' as const), event: terminalEvent }) },
);

const BOUNDS = [
  { logMaxEvents: 12, logMaxBytes: 1e6, eventMaxBytes: 65_536 },
  { logMaxEvents: 1_000, logMaxBytes: 8_192, eventMaxBytes: 1_500 },
  { logMaxEvents: 1_000, logMaxBytes: 1e6, eventMaxBytes: 65_536 },
] as const;

/** Operations that produce each result at least once, whatever the random ones do. */
const step = (more: Partial<Extract<Op, { op: 'append' }>>): Op => ({
  op: 'append',
  writer: 'top',
  late: 0,
  ahead: 1,
  events: [text('x')],
  more: {},
  ...more,
});
const claimOf = (name: string, suspectAt = 0): Op => ({
  op: 'claim',
  writer: name,
  suspectAt,
  counts: true,
  name: '',
});
const EVERY_ANSWER: [(typeof BOUNDS)[number], Op[], Op[]] = [
  BOUNDS[0],
  [
    ...[claimOf('top'), claimOf('top'), claimOf('top', 2)],
    ...[
      step({}),
      step({ ahead: 2 }),
      step({ late: 1 }),
      step({ events: Array.from({ length: 12 }, () => text('x')) }),
    ],
    ...[claimOf('d1'), step({ writer: 'd1', more: { done: true } }), claimOf('d1')],
    ...[{ op: 'seal', event: completed } as Op, claimOf('top'), step({})],
  ],
  [claimOf('top'), step({})],
];
const NEVER_SEALED: typeof EVERY_ANSWER = [BOUNDS[0], [claimOf('top')], []];

const make: MakeLog = (bounds) => new RedisLog(corner.redis, { ...config, ...bounds });

describe('RedisLog', () => logSuite(make));

describe('the token budget in a RedisLog', () => budgetSuite(make));

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
          expect(Buffer.concat(published)).toEqual(Buffer.concat(frames));
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
      { numRuns: 150, examples: [EVERY_ANSWER, NEVER_SEALED] },
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

interface Logs {
  redis: RedisLog;
  memory: MemoryLog;
}

const withoutTime = (frame: Buffer) => frame.toString().replace(STAMP, '"timestamp":""');
/** The two logs have different clocks. */
const TIMES = ['ms', 'now', 'createdAt', 'startedAt', 'endedAt', 'updatedAt'];
const timeless = <T extends object>(answer: T | undefined) =>
  answer &&
  Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [
      key,
      TIMES.includes(key) ? typeof value : (value as unknown),
    ]),
  );

/** Calls both logs and compares their results. */
async function both(
  { redis, memory }: Logs,
  runId: string,
  at: Map<string, { epoch: number; step: number }>,
  next: Op,
): Promise<string> {
  switch (next.op) {
    case 'create':
      await memory.create(runId, spec, [started]);
      await redis.create(runId, spec, [started]);
      return 'ok';
    case 'claim': {
      const { writer: id, ...options } = next;
      const expected = await memory.claim(runId, id, options);
      expect(timeless(await redis.claim(runId, id, options))).toEqual(timeless(expected));
      if (expected.kind === 'claimed') at.set(id, expected);
      return expected.kind;
    }
    case 'append': {
      const { epoch, step: last } = at.get(next.writer) ?? { epoch: 1, step: 0 };
      const wanted = {
        writer: next.writer,
        epoch: epoch - next.late,
        step: last + next.ahead,
        events: next.events,
        ...next.more,
      };
      const expected = await memory.append(runId, wanted);
      expect(timeless(await redis.append(runId, wanted))).toEqual(timeless(expected));
      if (expected.kind === 'ok' && next.ahead === 1)
        at.set(next.writer, { epoch, step: last + 1 });
      return expected.kind;
    }
    case 'seal': {
      const expected = await memory.seal(runId, () => next.event);
      expect(timeless(await redis.seal(runId, () => next.event))).toEqual(timeless(expected));
      return 'ok';
    }
    case 'trim': {
      const expected = await memory.trim(runId);
      expect(await redis.trim(runId)).toBe(expected);
      return expected ? 'gone' : 'open';
    }
  }
}

/** Compares everything that can be read of a run, except its frames. */
async function expectSameState({ redis, memory }: Logs, runId: string): Promise<void> {
  expect(timeless(await redis.state(runId))).toEqual(timeless(await memory.state(runId)));
  expect(await redis.evidence(runId)).toEqual(await memory.evidence(runId));
  expect(new Set(await redis.dispatched(runId))).toEqual(new Set(await memory.dispatched(runId)));
  expect(await redis.reported(runId)).toEqual(await memory.reported(runId));
  const sequences = async (log: RedisLog | MemoryLog) =>
    (await log.reports(runId)).map(({ sequence }) => sequence);
  expect(await sequences(redis)).toEqual(await sequences(memory));
}

/** Checks the head of each message: which frames it has, and whether they are the last. */
function expectHeads(heard: Buffer[], last: number, status = 'running'): void {
  const isSealed = isTerminalStatus(status as RunStatus);
  let next = 1;
  heard.forEach((message, i) => {
    const [first, end, sealed] = message
      .toString('latin1', 0, message.indexOf(10))
      .split(' ')
      .map(Number) as [number, number, number];
    expect([first, sealed]).toEqual([next, isSealed && i === heard.length - 1 ? 1 : 0]);
    next = end + 1;
  });
  expect(next).toBe(last + 1);
}

/** Everything that Redis has of a run. */
async function everything(runId: string): Promise<unknown[]> {
  const keys = (await corner.redis.keys(`${corner.prefix}:{${runId}}*`)).toSorted();
  return Promise.all(keys.map(async (key) => [key, await corner.redis.dumpBuffer(key)]));
}
