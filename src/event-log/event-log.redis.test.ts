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
import { LogModel, SOME_TIME } from '../../test/support/log-model.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import type { DraftEvent } from '../domain/events/event.js';
import { EventLog, type Step } from './event-log.js';
import { logScripts } from './lua/index.js';
import { PRELUDE } from './lua/prelude.js';

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

async function framesOf(log: EventLog, runId: string): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for (;;) {
    const page = await log.read(runId, frames.length, 7);
    frames.push(...page.frames);
    if (frames.length >= page.lastSequence) return frames;
  }
}

/** What is done to one run, by writers that may be late, doubled or ahead of themselves. */
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

const bounds = fc.constantFrom(
  { logMaxEvents: 12, logMaxBytes: 1e6, eventMaxBytes: 65_536 },
  { logMaxEvents: 1_000, logMaxBytes: 8_192, eventMaxBytes: 1_500 },
  { logMaxEvents: 1_000, logMaxBytes: 1e6, eventMaxBytes: 65_536 },
);

describe('the scripts', () => {
  it('do what the model does, to the byte', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        bounds,
        fc.array(op, { minLength: 5, maxLength: 60, size: 'max' }),
        fc.array(op, { maxLength: 5 }),
        async (limits, ops, late) => {
          const log = new EventLog(corner.redis, { ...config, ...limits });
          const runId = randomUUID();
          const model = new LogModel(runId, limits);
          await ear.subscribe(log.keys(runId).feed);
          heard = [];
          const at = new Map<string, { epoch: number; step: number }>();
          for (const step of [{ op: 'create' } as Op, ...ops])
            seen.add(`${step.op}: ${await both(log, model, at, step)}`);

          const frames = await framesOf(log, runId);
          const stamps = frames.map((frame) => STAMP.exec(frame.toString())?.[1] ?? '');
          expect(
            frames.map((frame) => frame.toString().replace(STAMP, `"timestamp":"${SOME_TIME}"`)),
          ).toEqual(model.frames);
          expect(stamps).toEqual(stamps.toSorted());
          await ear.ping();
          expect(
            Buffer.concat(heard.map((message) => message.subarray(message.indexOf(10) + 1))),
          ).toEqual(Buffer.concat(frames));
          expectHeads(heard, model);
          await ear.unsubscribe();

          const state = await log.state(runId);
          expect(state).toMatchObject({
            status: model.status,
            lastSequence: model.frames.length,
            usage: {
              input_tokens: model.input,
              output_tokens: model.output,
              total_tokens: model.input + model.output,
            },
            ...(model.cost !== undefined && {
              usage: expect.objectContaining({ cost: model.cost / 1e8 }),
            }),
          });
          expect(state?.endedAt !== null).toBe(model.sealed);
          if (model.sealed) expect(new Date(state?.endedAt ?? 0).toISOString()).toBe(stamps.at(-1));
          expect(Number(await corner.redis.hget(log.keys(runId).state, 'bytes'))).toBe(model.bytes);
          expect(await log.evidence(runId)).toEqual(model.evidence);
          expect(new Set(await log.dispatched(runId))).toEqual(new Set(model.dispatches.keys()));
          expect(await log.reported(runId)).toEqual(new Set(model.reports.keys()));
          const told = (await log.reports(runId)).map(({ sequence }) => sequence);
          expect(told).toEqual(
            [...model.dispatches.values(), ...model.reports.values()].toSorted((a, b) => a - b),
          );

          // What comes when the log is gone, if it may go.
          const trimmed = await both(log, model, at, { op: 'trim' });
          seen.add(`trim: ${trimmed}`);
          for (const step of late)
            seen.add(`${trimmed}, ${step.op}: ${await both(log, model, at, step)}`);
          const left = {
            status: model.status,
            lastSequence: model.frames.length,
            expired: trimmed === 'gone',
          };
          expect(await log.state(runId)).toMatchObject(left);
        },
      ),
      { numRuns: 150 },
    );
    // The property is worth little if the interesting answers never came up.
    for (const kind of ['ok', 'sealed', 'fenced', 'gap', 'full'])
      expect([...seen]).toContain(`append: ${kind}`);
    for (const kind of ['claimed', 'sealed', 'done', 'suspect'])
      expect([...seen]).toContain(`claim: ${kind}`);
    for (const kind of ['trim: open', 'gone, claim: sealed', 'gone, append: sealed'])
      expect([...seen]).toContain(kind);
  }, 120_000);

  it('write dates as Date does', async () => {
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

  it('leave no trace of a step with a fault in it', async () => {
    const log = new EventLog(corner.redis, config);
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

  it('end a log that is full with an event that always fits', async () => {
    const log = new EventLog(corner.redis, {
      ...config,
      eventMaxBytes: 65_536,
      logMaxBytes: 1_048_576,
    });
    const runId = randomUUID();
    await log.create(runId, spec, [started]);
    const claim = await log.claim(runId, 'w');
    expect(claim).toMatchObject({ kind: 'claimed' });
    const asked: string[] = [];
    log.whenFull(async (id) => {
      asked.push(id);
      await log.seal(id, () => ({
        name: 'lifecycle.failed',
        source: null,
        data: { error: 'x'.repeat(1e6), code: 'LOG_LIMIT', retryable: false, report: null },
      }));
    });
    let step = 0;
    let answer: string;
    do
      answer = (
        await log.append(runId, {
          writer: 'w',
          epoch: 1,
          step: ++step,
          events: [text('y'.repeat(1e5))],
        })
      ).kind;
    while (answer === 'ok');
    expect([answer, asked, step]).toEqual(['full', [runId], 16]);
    const frames = await framesOf(log, runId);
    expect(Buffer.concat(frames).length).toBeLessThanOrEqual(1_048_576);
    expect(frames.at(-1)?.toString()).toContain('"code":"LOG_LIMIT"');
    expect((await log.append(runId, { writer: 'w', epoch: 1, step, events: [] })).kind).toBe(
      'sealed',
    );
  });

  it('let a run be ended in the step that fills its log', async () => {
    const log = new EventLog(corner.redis, { ...config, logMaxEvents: 10 });
    const runId = randomUUID();
    await log.create(runId, spec, [started]);
    await log.claim(runId, 'w');
    const eight = Array.from({ length: 8 }, () => text('x'));
    expect(
      await log.append(runId, { writer: 'w', epoch: 1, step: 1, events: [...eight, text('x')] }),
    ).toEqual({ kind: 'full' });
    expect(
      await log.append(runId, {
        writer: 'w',
        epoch: 1,
        step: 1,
        events: [...eight, text('x'), completed],
      }),
    ).toEqual({ kind: 'full' });
    expect(
      await log.append(runId, { writer: 'w', epoch: 1, step: 1, events: [...eight, completed] }),
    ).toMatchObject({
      first: 2,
      last: 10,
    });
  });
});

/** Does the same to both, and compares what they say. */
async function both(
  log: EventLog,
  model: LogModel,
  at: Map<string, { epoch: number; step: number }>,
  step: Op,
): Promise<string> {
  const { runId } = model;
  switch (step.op) {
    case 'create':
      model.create([started], await log.create(runId, spec, [started]));
      return 'ok';
    case 'claim': {
      const expected = model.claim(step.writer, step.suspectAt, step.counts, step.name);
      expect(await log.claim(runId, step.writer, step.suspectAt, step.counts, step.name)).toEqual(
        expected,
      );
      if (expected.kind === 'claimed') at.set(step.writer, expected);
      return expected.kind;
    }
    case 'append': {
      const { epoch, step: last } = at.get(step.writer) ?? { epoch: 1, step: 0 };
      const wanted = {
        writer: step.writer,
        epoch: epoch - step.late,
        step: last + step.ahead,
        events: step.events,
        ...step.more,
      };
      const expected = model.append(wanted);
      const answer = await log.append(runId, wanted);
      expect(answer.kind === 'ok' ? { ...answer, ms: 0 } : answer).toEqual(expected);
      if (expected.kind === 'ok' && step.ahead === 1)
        at.set(step.writer, { epoch, step: last + 1 });
      return expected.kind;
    }
    case 'seal': {
      const expected = model.seal(step.event);
      expect(await log.seal(runId, () => step.event)).toMatchObject(expected ?? {});
      return 'ok';
    }
    case 'trim': {
      const expected = model.trim();
      expect(await log.trim(runId)).toBe(expected);
      return expected ? 'gone' : 'open';
    }
  }
}

/** The head of each message says which frames it has, and whether they are the last. */
function expectHeads(heard: Buffer[], model: LogModel): void {
  let next = 1;
  heard.forEach((message, i) => {
    const [first, last, sealed] = message
      .toString('latin1', 0, message.indexOf(10))
      .split(' ')
      .map(Number) as [number, number, number];
    expect([first, sealed]).toEqual([next, model.sealed && i === heard.length - 1 ? 1 : 0]);
    next = last + 1;
  });
  expect(next).toBe(model.frames.length + 1);
}

/** All that Redis holds of a run. */
async function everything(runId: string): Promise<unknown[]> {
  const keys = (await corner.redis.keys(`${corner.prefix}:{${runId}}*`)).toSorted();
  return Promise.all(keys.map(async (key) => [key, await corner.redis.dumpBuffer(key)]));
}
