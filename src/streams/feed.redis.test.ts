import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed, text } from '../../test/support/drafts.js';
import { encodeEach } from '../../test/support/encode.js';
import { feedNode, TestRun } from '../../test/support/feed-node.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { TcpProxy } from '../../test/support/tcp-proxy.js';
import { TestSink } from '../../test/support/test-sink.js';
import { until } from '../../test/support/until.js';
import type { DraftEvent } from '../domain/events/event.js';
import { FORMATS, type Format } from '../formats/registry.js';

let corner: TestRedis;
let proxy: TcpProxy;
let node: ReturnType<typeof feedNode>;
beforeAll(() => {
  Logger.overrideLogger(false);
  corner = testRedis();
});
afterAll(() => corner.close());
beforeEach(async () => {
  proxy = await TcpProxy.to(corner.url);
  node = feedNode(corner, proxy.url, { followerBufferBytes: 4_096 });
});
afterEach(async () => {
  await node.feed.onApplicationShutdown();
  await proxy.close();
});

const begin = () => new TestRun(node.log, corner.redis).begin();

async function follow(run: TestRun, after = 0, format: Format = 'executor') {
  const sink = new TestSink();
  const leave = await node.feed.follow(run.runId, after, sink, format);
  return { sink, leave, after, format };
}

/** An event for which every format except two has a frame at once. */
const warning = (message: string): DraftEvent => ({
  name: 'system.warning',
  source: null,
  data: { message, code: 'X' },
});

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
          const run = await begin();
          const all: (Awaited<ReturnType<typeof follow>> & { gone: boolean })[] = [
            { ...(await follow(run)), gone: false },
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
                ...(await follow(run, Math.floor(step.share * last), step.format)),
                gone: false,
              });
            else if (step.op === 'leave' && one) [one.gone] = [true, one.leave()];
            else if (step.op === 'stall') one?.sink.stall();
            else if (step.op === 'resume') one?.sink.resume();
            else if (step.op === 'reset') proxy.reset();
            else if (step.op === 'kill') await killSubscribers();
            else if (step.op === 'swallow') proxy.swallow();
            else if (step.op === 'wait') await sleep(step.ms);
          }
          proxy.mend();
          await run.append(completed);
          const whole = await run.after(0);
          const frames = whole.split(/(?<=\n\n)/);
          const each = Object.fromEntries(
            FORMATS.map((format) => [format, encodeEach(format, frames)]),
          ) as Record<Format, string[]>;
          const due = ({ after, format }: { after: number; format: Format }) =>
            each[format].slice(after).join('');
          if (trims) await node.log.trim(run.runId);
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
          expect(node.feed.load).toEqual({ followers: 0, runs: 0 });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('encodes a run once for all followers of one format', async () => {
    const run = await begin();
    const followers = await Promise.all(
      FORMATS.flatMap((format) => Array.from({ length: 5 }, () => follow(run, 0, format))),
    );
    await until('a subscription', async () => (await run.subscribers()) === 1);
    await until('the first event', () => followers.every(({ sink }) => sink.text !== ''));
    await sleep(50);
    await run.append(warning('one'), text('two'));
    await run.append(completed);
    await until('the end of all streams', () => followers.every(({ sink }) => sink.ended));
    const frames = (await run.after(0)).split(/(?<=\n\n)/);
    for (const format of FORMATS) {
      const alike = followers.filter((follower) => follower.format === format);
      for (const { sink } of alike) {
        expect(sink.text).toBe(encodeEach(format, frames).join(''));
        // Not only equal bytes: the same Buffer.
        expect(sink.last).toBe(alike[0]?.sink.last);
      }
    }
  });

  it('subscribes once per run and unsubscribes after the last follower', async () => {
    const run = await begin();
    const followers = await Promise.all(Array.from({ length: 50 }, () => follow(run)));
    await until('a subscription', async () => (await run.subscribers()) === 1);
    expect(node.feed.load).toEqual({ followers: 50, runs: 1 });
    for (const { leave } of followers.slice(1)) leave();
    await sleep(20);
    expect(await run.subscribers()).toBe(1);
    followers[0]?.leave();
    await until('no subscriber', async () => (await run.subscribers()) === 0);
    // Unfollows and follows again in one turn.
    const back = await follow(run);
    back.leave();
    const again = await follow(run);
    await until('a subscription', async () => (await run.subscribers()) === 1);
    await run.append(text('x'));
    await until('an event', async () => again.sink.text === (await run.after(0)));
    again.leave();
    expect(node.feed.load).toEqual({ followers: 0, runs: 0 });
  });

  it('delivers events to all followers despite a half-open connection and replaces it', async () => {
    const run = await begin();
    const { sink } = await follow(run);
    await until('a subscription', async () => (await run.subscribers()) === 1);
    proxy.swallow();
    await run.append(text('missed'));
    await until('the missed events', async () => sink.text === (await run.after(0)));
    proxy.mend();
    await until('a new subscription', async () => (await run.subscribers()) === 2);
    await sleep(50);
    await run.append(text('heard'));
    await until('the published event', async () => sink.text === (await run.after(0)));
  });

  it('misses no event that is published while it subscribes again', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, begin));
    const followers = await Promise.all(runs.map((run) => follow(run)));
    await until('all subscriptions', async () =>
      (await Promise.all(runs.map((run) => run.subscribers()))).every((n) => n === 1),
    );
    let going = true;
    const writing = runs.map(async (run) => {
      while (going) await run.append(text('x'));
    });
    for (let i = 0; i < 10; i++) {
      if (i % 2 === 0) proxy.reset();
      else await killSubscribers();
      await sleep(60);
    }
    going = false;
    await Promise.all(writing);
    await until('all events', async () =>
      (
        await Promise.all(
          runs.map(async (run, i) => followers[i]?.sink.text === (await run.after(0))),
        )
      ).every(Boolean),
    );
    for (const { leave } of followers) leave();
  });

  it('pings only silent streams', async () => {
    const { feed } = feedNode(corner, corner.url, { heartbeatSeconds: 2 });
    const [quiet, busy] = [await begin(), await begin()];
    const [silent, chatty] = [new TestSink(), new TestSink()];
    await feed.follow(quiet.runId, 0, silent);
    await feed.follow(busy.runId, 0, chatty);
    await until('two pings', async () => {
      await busy.append(text('x'));
      return silent.pings >= 2;
    });
    expect(chatty.pings).toBe(0);
    await feed.onApplicationShutdown();
  });

  it('admits up to its limit and frees a place when a connection closes', async () => {
    const { feed } = feedNode(corner, corner.url, { maxFollowers: 2 });
    const connections = [new EventEmitter(), new EventEmitter(), new EventEmitter()] as const;
    feed.admit(connections[0]);
    feed.admit(connections[1]);
    expect(() => feed.admit(connections[2])).toThrow(
      expect.objectContaining({ code: 'UNAVAILABLE', options: { retryAfterSeconds: 5 } }),
    );
    connections[0].emit('close');
    feed.admit(connections[2]);
    await feed.drain();
    connections[2].emit('close');
    expect(() => feed.admit(new EventEmitter())).toThrow(
      expect.objectContaining({ code: 'UNAVAILABLE', options: { retryAfterSeconds: 1 } }),
    );
  });

  it('ends all streams when it drains and accepts no new ones', async () => {
    const run = await begin();
    const { sink } = await follow(run);
    await until('the first event', () => sink.text !== '');
    await node.feed.drain();
    expect([sink.ended, sink.text]).toEqual([true, await run.after(0)]);
    expect((await follow(run)).sink.ended).toBe(true);
    expect(node.feed.load).toEqual({ followers: 0, runs: 0 });
  });

  it('buffers little for 1,000 stuck clients and does not slow others', async () => {
    const run = await begin();
    const stuck = Array.from({ length: 1_000 }, () => new TestSink());
    for (const sink of stuck) {
      sink.stall();
      await node.feed.follow(run.runId, 0, sink);
    }
    const { sink: fast } = await follow(run);
    for (let i = 0; i < 200; i++) await run.append(text('x'.repeat(50_000)));
    await until('all events at the fast client', async () => fast.text === (await run.after(0)));
    const most = Math.max(...stuck.map(({ peak }) => peak));
    // Its buffer, and one write on top.
    expect(most).toBeLessThan(node.config.followerBufferBytes + 1_000_000);
    // All of them wait for the same bytes.
    const memory = new Set(stuck.flatMap(({ given }) => given.map(({ buffer }) => buffer)));
    expect([...memory].reduce((size, { byteLength }) => size + byteLength, 0)).toBeLessThan(
      4 * most + 1_000_000,
    );
  });

  it('disconnects a stuck client, but not a slow one', async () => {
    const strict = feedNode(corner, corner.url, {
      followerStuckSeconds: 2,
      followerBufferBytes: 2_048,
    });
    const run = await begin();
    const [stuck, slow] = [new TestSink(), new TestSink()];
    for (const sink of [stuck, slow]) {
      sink.stall();
      await strict.feed.follow(run.runId, 0, sink);
    }
    for (let i = 0; i < 30; i++) await run.append(text('x'.repeat(500)));
    const sipping = setInterval(() => slow.sip(100), 300);
    await until('the end of the stuck client', () => stuck.destroyed);
    await sleep(2_000);
    clearInterval(sipping);
    expect([slow.destroyed, stuck.peak < 4_096, slow.peak < 4_096]).toEqual([false, true, true]);
    slow.resume();
    await until('all events at the slow client', async () => slow.text === (await run.after(0)));
    await strict.feed.onApplicationShutdown();
  });
});

/** Disconnects every subscriber at the server. Other tests have their own server. */
async function killSubscribers(): Promise<void> {
  await corner.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
}
