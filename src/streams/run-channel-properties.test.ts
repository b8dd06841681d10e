import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FakeLog } from '../../test/support/memory/fake-log.js';
import { TestSink } from '../../test/support/memory/test-sink.js';
import type { Batch } from './frame-ring.js';
import { BUFFER, channelOn } from '../../test/support/memory/run-channel.js';

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
              const sink = new TestSink();
              const from = Math.floor(step.share * log.frames.length);
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
      { numRuns: 100 },
    );
  });
});
