import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeLog } from '../../test/support/fake-log.js';
import { TestSink } from '../../test/support/test-sink.js';
import { until } from '../../test/support/until.js';
import type { Batch } from './frame-ring.js';
import { RunChannel, WINDOW_MS } from './run-channel.js';

const BUFFER = 2_000;

function channelOn(
  log: FakeLog,
  read = async (after: number, limit: number) => log.page(after, limit),
) {
  const told = { errors: [] as unknown[], empty: 0, lost: [] as number[] };
  const channel = new RunChannel({
    followerBufferBytes: BUFFER,
    ringBytes: () => 3_000,
    read,
    onError: (error) => told.errors.push(error),
    onLost: async (seen) => void told.lost.push(seen),
    onEmpty: () => told.empty++,
  });
  const compare = () => {
    const asked = channel.expectedLog;
    channel.compare(log.tail(asked.frame?.sequence), asked);
  };
  channel.subscribed();
  compare();
  return { channel, told, compare };
}

/** Waits until collected frames are written and their effects are done. */
const settled = async () => {
  await sleep(2 * WINDOW_MS);
  for (let i = 0; i < 20; i++) await turn();
};

type Op =
  | { op: 'append'; count: number; size: number; heard: 'now' | 'later' | 'never' | 'twice' }
  | { op: 'join'; share: number }
  | { op: 'leave' | 'stall' | 'resume' | 'sip'; which: number }
  | { op: 'compare' }
  | { op: 'interrupt'; back: boolean }
  | { op: 'turn' };

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('append' as const),
      count: fc.integer({ min: 1, max: 5 }),
      size: fc.constantFrom(0, 10, 400, 3_000),
      heard: fc.constantFrom('now', 'now', 'now', 'now', 'later', 'never', 'twice'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('join' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom(
        'leave' as const,
        'stall' as const,
        'stall' as const,
        'resume' as const,
        'sip' as const,
      ),
      which: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Op>({ op: 'compare' }, { op: 'turn' }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('interrupt' as const), back: fc.boolean() }),
  },
);

describe('RunChannel', () => {
  it('delivers a prefix of the log to every follower, and all of it at the end, in any interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(op, { minLength: 10, maxLength: 60 }),
        async (scheduler, ops) => {
          const log = new FakeLog();
          log.append(1, 0);
          const { channel, told } = channelOn(log, async (after, limit) => {
            // The reply shows the log at some time between request and response.
            await scheduler.schedule(Promise.resolve());
            const page = log.page(after, limit);
            await scheduler.schedule(Promise.resolve());
            return page;
          });
          const all: { sink: TestSink; from: number; leave: () => void; gone: boolean }[] = [];
          const later: Batch[] = [];
          const compare = () => {
            const asked = channel.expectedLog;
            const tail = log.tail(asked.frame?.sequence);
            return scheduler.schedule(Promise.resolve()).then(() => channel.compare(tail, asked));
          };
          const check = () => {
            for (const { sink, from } of all) {
              expect(log.after(from).startsWith(sink.text)).toBe(true);
              expect(sink.peak).toBeLessThan(BUFFER + 60_000);
            }
          };
          for (const step of ops) {
            if (step.op === 'append') {
              const batch = log.append(step.count, step.size);
              if (step.heard === 'later') later.push(batch);
              else if (step.heard !== 'never') {
                // In order, after delayed ones: they share one connection.
                for (const late of later.splice(0)) channel.receive(late);
                channel.receive(batch);
                if (step.heard === 'twice') channel.receive(batch);
              }
            } else if (step.op === 'join') {
              const [sink, from] = [new TestSink(), Math.floor(step.share * log.frames.length)];
              const follower = channel.follow(sink, from, () => undefined);
              all.push({ sink, from, leave: () => channel.leave(follower), gone: false });
            } else if (step.op === 'compare') {
              void compare();
            } else if (step.op === 'interrupt') {
              channel.interrupted();
              if (step.back) channel.subscribed();
            } else if (step.op === 'turn') {
              await turn();
            } else {
              const one = all[step.which % Math.max(all.length, 1)];
              if (step.op === 'leave' && one) [one.gone] = [true, one.leave()];
              if (step.op === 'stall') one?.sink.stall();
              if (step.op === 'resume') one?.sink.resume();
              if (step.op === 'sip') one?.sink.sip(500);
            }
            if (scheduler.count() > 0 && step.op !== 'stall') await scheduler.waitOne();
            check();
          }
          log.append(1, 0, true);
          void compare();
          for (const { sink } of all) sink.resume();
          for (let i = 0; i < 500 && all.some(({ sink, gone }) => !gone && !sink.ended); i++) {
            await turn();
            if (scheduler.count() > 0) await scheduler.waitAll();
          }
          check();
          for (const { sink, from, gone } of all)
            if (!gone) expect([sink.ended, sink.text]).toEqual([true, log.after(from)]);
          expect(channel.size).toBe(0);
          expect(told.errors).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('writes the frames of one turn in one Buffer to all followers', async () => {
    const log = new FakeLog();
    const { channel } = channelOn(log);
    const sinks = [new TestSink(), new TestSink(), new TestSink()];
    for (const sink of sinks) channel.follow(sink, 0, () => undefined);
    await settled();
    for (let i = 0; i < 10; i++) channel.receive(log.append(2, 5));
    await settled();
    expect(sinks.map(({ writes }) => writes)).toEqual([1, 1, 1]);
    expect(sinks.every(({ last }) => last === sinks[0]?.last)).toBe(true);
    expect(sinks[0]?.text).toBe(log.after(0));
  });

  it('buffers a bounded amount for a stuck client and does not slow others', async () => {
    const log = new FakeLog();
    const { channel } = channelOn(log);
    const [slow, fast] = [new TestSink(), new TestSink()];
    slow.stall();
    for (const sink of [slow, fast]) channel.follow(sink, 0, () => undefined);
    await settled();
    for (let i = 0; i < 200; i++) {
      channel.receive(log.append(1, 300));
      // Frames of an active run are collected for a few ms.
      await until('the event', () => fast.text.length === log.after(0).length);
    }
    expect(slow.peak).toBeLessThanOrEqual(BUFFER + 400);
    slow.resume();
    await until('all at the slow client', () => slow.text === log.after(0));
    expect(slow.text).toBe(log.after(0));
    expect(slow.peak).toBeLessThanOrEqual(2 * BUFFER);
  });

  it('reads once for followers at the same position', async () => {
    const log = new FakeLog();
    log.append(50, 10);
    const { channel } = channelOn(log);
    const sinks = Array.from({ length: 100 }, () => new TestSink());
    for (const sink of sinks) channel.follow(sink, 0, () => undefined);
    await settled();
    expect(sinks.every(({ text }) => text === log.after(0))).toBe(true);
    expect(log.reads).toBeLessThanOrEqual(4);
  });

  it('waits for Redis and ends only if the log is gone', async () => {
    const log = new FakeLog();
    log.append(3, 0);
    let away = true;
    const { channel, told } = channelOn(log, async (after, limit) => {
      if (away) throw new Error('Command timed out');
      return log.page(after, limit);
    });
    const sink = new TestSink();
    channel.follow(sink, 0, () => undefined);
    await sleep(120);
    expect([sink.closed, told.errors]).toEqual([false, []]);
    away = false;
    await until('what it could not read', () => sink.text === log.after(0));
    log.trimmed = true;
    const late = new TestSink();
    channel.follow(late, 1, () => undefined);
    await settled();
    expect([late.ended, late.text, sink.ended]).toEqual([true, '', false]);
    expect(told.errors).toEqual([expect.objectContaining({ code: 'RUN_EXPIRED' })]);
  });

  it('ends at the terminal event even if the state was read before it', async () => {
    const log = new FakeLog();
    log.append(2, 0);
    const { channel } = channelOn(log, async (after, limit) => {
      const { lastSequence, sealed } = log.page(after, limit);
      if (!log.sealed) log.append(1, 0, true);
      return { ...log.page(after, limit), lastSequence, sealed };
    });
    const sink = new TestSink();
    channel.follow(sink, 0, () => undefined);
    await settled();
    expect([sink.ended, sink.text]).toEqual([true, log.after(0)]);
  });

  it('ends followers of a log that lost events after the loss is recorded', async () => {
    const log = new FakeLog();
    const { channel, told, compare } = channelOn(log);
    const sink = new TestSink();
    channel.receive(log.append(5, 0));
    channel.follow(sink, 0, () => undefined);
    await settled();
    // A failover: three events are lost.
    log.frames.length = 2;
    compare();
    expect([sink.ended, channel.isLost]).toEqual([false, true]);
    await settled();
    expect([sink.ended, told.empty, told.lost]).toEqual([true, 1, [5]]);
  });

  describe('never continues a client in another history of the log', () => {
    async function forked(
      how: (
        on: ReturnType<typeof channelOn>,
        log: FakeLog,
        follow: (after: number) => TestSink,
      ) => unknown,
    ) {
      const log = new FakeLog();
      const on = channelOn(log);
      const sinks: TestSink[] = [];
      const follow = (after: number) => {
        const sink = new TestSink();
        on.channel.follow(sink, after, () => undefined);
        return sinks[sinks.push(sink) - 1] as TestSink;
      };
      const sink = follow(0);
      on.channel.receive(log.append(3, 0));
      on.channel.receive(log.append(2, 0));
      await settled();
      const seen = sink.text;
      log.frames.length = 2;
      await how(on, log, follow);
      await settled();
      expect([sink.text, sink.ended, on.told.lost]).toEqual([seen, true, [5]]);
    }

    it('when a comparison finds it', () =>
      forked(({ compare }, log) => {
        log.append(9, 1);
        compare();
      }));
    it('when it is received before a comparison', () =>
      forked(({ channel, compare }, log) => {
        channel.interrupted();
        log.append(3, 1);
        channel.subscribed();
        channel.receive(log.append(1, 1));
        channel.receive(log.append(1, 1));
        compare();
      }));
    it('when it is read after a missed message', () =>
      forked(({ channel }, log) => {
        log.append(4, 1);
        channel.receive(log.append(1, 1));
      }));
    it('when a received batch repeats sequences with other frames', () =>
      forked(({ channel }, log) => channel.receive(log.append(2, 9))));
    it('when a client resumes at the last cursor', () =>
      forked(async (_, log, follow) => {
        log.append(4, 1);
        const late = follow(5);
        await settled();
        expect([late.text, late.ended]).toEqual(['', true]);
      }));
  });

  it('drains at the boundary of a frame, also for slow clients', async () => {
    const log = new FakeLog();
    const { channel } = channelOn(log);
    const [fast, slow] = [new TestSink(), new TestSink()];
    slow.stall();
    for (const sink of [fast, slow]) channel.follow(sink, 0, () => undefined);
    await settled();
    channel.receive(log.append(3, 10));
    const closed = channel.close();
    await settled();
    expect([fast.ended, fast.text, slow.ended, channel.size]).toEqual([
      true,
      log.after(0),
      false,
      0,
    ]);
    slow.resume();
    await closed;
    expect([slow.ended, slow.text]).toEqual([true, log.after(0)]);
  });
});
