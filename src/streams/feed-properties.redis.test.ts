import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed, text, warning } from '../../test/support/incidents/drafts.js';
import { encodeEach } from '../../test/support/streams/encode.js';
import { until } from '../../test/support/until.js';
import { FORMATS, type Format } from '../formats/registry.js';
import { feedScene, type FeedScene } from '../../test/support/streams/feed-scene.js';

const scene = feedScene();

type Op =
  | { op: 'append'; events: number; size: number; times: number }
  | { op: 'join'; share: number; format: Format }
  | { op: 'leave'; which: number }
  | { op: 'stall'; which: number }
  | { op: 'resume'; which: number }
  | { op: 'reset' }
  | { op: 'kill' }
  | { op: 'swallow' }
  | { op: 'wait'; ms: number };

const which = fc.nat(20);
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('append' as const),
      events: fc.integer({ min: 1, max: 4 }),
      size: fc.constantFrom(1, 30, 2_000),
      times: fc.constantFrom(1, 1, 10),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('join' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      format: fc.constantFrom(...FORMATS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('leave' as const), which }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('stall' as const), which }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('resume' as const), which }) },
  { weight: 2, arbitrary: fc.constantFrom<Op>({ op: 'reset' }, { op: 'kill' }, { op: 'swallow' }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  },
);

describe('Feed', () => {
  it('delivers a prefix of the log to every follower, and all of it at the end, under failures of clients and connections', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(op, { minLength: 15, maxLength: 50 }),
        fc.boolean(),
        async (ops, trims) => {
          const run = await scene.begin();
          const all: (Awaited<ReturnType<FeedScene['follow']>> & { gone: boolean })[] = [
            { ...(await scene.follow(run)), gone: false },
          ];
          let last = 1;
          for (const step of ops) {
            const one = 'which' in step ? all[step.which % all.length] : undefined;
            if (step.op === 'append') {
              const events = Array.from({ length: step.events }, (_, i) =>
                (i % 2 ? warning : text)('ß'.repeat(step.size)),
              );
              await Promise.all(Array.from({ length: step.times }, () => run.append(...events)));
              last += step.events * step.times;
            } else if (step.op === 'join')
              all.push({
                ...(await scene.follow(run, Math.floor(step.share * last), step.format)),
                gone: false,
              });
            else if (step.op === 'leave' && one) [one.gone] = [true, one.leave()];
            else if (step.op === 'stall') one?.sink.stall();
            else if (step.op === 'resume') one?.sink.resume();
            else if (step.op === 'reset') scene.proxy.reset();
            else if (step.op === 'kill') await scene.killSubscribers();
            else if (step.op === 'swallow') scene.proxy.swallow();
            else if (step.op === 'wait') await sleep(step.ms);
          }
          scene.proxy.mend();
          await run.append(completed);
          const whole = await run.after(0);
          const frames = whole.split(/(?<=\n\n)/);
          const each = Object.fromEntries(
            FORMATS.map((format) => [format, encodeEach(format, frames)]),
          ) as Record<Format, string[]>;
          const due = ({ after, format }: { after: number; format: Format }) =>
            each[format].slice(after).join('');
          if (trims) await scene.node.log.trim(run.runId);
          for (const { sink } of all) sink.resume();
          await until('the end of all streams', () =>
            all.every(({ sink, gone }) => gone || sink.closed),
          );
          for (const one of all) {
            expect(due(one).startsWith(one.sink.text)).toBe(true);
            expect(one.sink.destroyed).toBe(false);
            // A follower that was behind when its log was deleted gets no more frames, and its
            // stream ends.
            if (!one.gone && !trims) expect(one.sink.text).toBe(due(one));
          }
          expect(scene.node.feed.load).toEqual({ followers: 0, runs: 0 });
        },
      ),
      { numRuns: 25 },
    );
  });
});
