import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { completed, text, warning } from '../../test/support/incidents/drafts.js';
import { encodeEach } from '../../test/support/streams/encode.js';
import { feedNode } from '../../test/support/streams/feed-node.js';
import { TestSink } from '../../test/support/memory/test-sink.js';
import { until } from '../../test/support/until.js';
import { FORMATS } from '../formats/registry.js';
import { feedScene } from '../../test/support/streams/feed-scene.js';

const scene = feedScene();

describe('Feed', () => {
  it('encodes a run once for all followers of one format', async () => {
    const run = await scene.begin();
    const followers = await Promise.all(
      FORMATS.flatMap((format) => Array.from({ length: 5 }, () => scene.follow(run, 0, format))),
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
    const run = await scene.begin();
    const followers = await Promise.all(Array.from({ length: 50 }, () => scene.follow(run)));
    await until('a subscription', async () => (await run.subscribers()) === 1);
    expect(scene.node.feed.load).toEqual({ followers: 50, runs: 1 });
    for (const { leave } of followers.slice(1)) leave();
    await sleep(20);
    expect(await run.subscribers()).toBe(1);
    followers[0]?.leave();
    await until('no subscriber', async () => (await run.subscribers()) === 0);
    // Unfollows and follows again in one turn.
    const back = await scene.follow(run);
    back.leave();
    const again = await scene.follow(run);
    await until('a subscription', async () => (await run.subscribers()) === 1);
    await run.append(text('x'));
    await until('an event', async () => again.sink.text === (await run.after(0)));
    again.leave();
    expect(scene.node.feed.load).toEqual({ followers: 0, runs: 0 });
  });

  it('delivers events to all followers despite a half-open connection and replaces it', async () => {
    const run = await scene.begin();
    const { sink } = await scene.follow(run);
    await until('a subscription', async () => (await run.subscribers()) === 1);
    scene.proxy.swallow();
    await run.append(text('missed'));
    await until('the missed events', async () => sink.text === (await run.after(0)));
    scene.proxy.mend();
    await until('a new subscription', async () => (await run.subscribers()) === 2);
    await sleep(50);
    await run.append(text('heard'));
    await until('the published event', async () => sink.text === (await run.after(0)));
  });

  it('misses no event that is published while it subscribes again', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => scene.begin()));
    const followers = await Promise.all(runs.map((run) => scene.follow(run)));
    await until('all subscriptions', async () =>
      (await Promise.all(runs.map((run) => run.subscribers()))).every((n) => n === 1),
    );
    let going = true;
    const writing = runs.map(async (run) => {
      while (going) await run.append(text('x'));
    });
    for (let i = 0; i < 10; i++) {
      if (i % 2 === 0) scene.proxy.reset();
      else await scene.killSubscribers();
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
    const { feed } = feedNode(scene.corner, scene.corner.url, { heartbeatSeconds: 2 });
    const quiet = await scene.begin();
    const busy = await scene.begin();
    const silent = new TestSink();
    const chatty = new TestSink();
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
    const { feed } = feedNode(scene.corner, scene.corner.url, { maxFollowers: 2 });
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
    const run = await scene.begin();
    const { sink } = await scene.follow(run);
    await until('the first event', () => sink.text !== '');
    await scene.node.feed.drain();
    expect([sink.ended, sink.text]).toEqual([true, await run.after(0)]);
    expect((await scene.follow(run)).sink.ended).toBe(true);
    expect(scene.node.feed.load).toEqual({ followers: 0, runs: 0 });
  });

  it('buffers little for 1,000 stuck clients and does not slow others', async () => {
    const run = await scene.begin();
    const stuck = Array.from({ length: 1_000 }, () => new TestSink());
    for (const sink of stuck) {
      sink.stall();
      await scene.node.feed.follow(run.runId, 0, sink);
    }
    const { sink: fast } = await scene.follow(run);
    for (let i = 0; i < 200; i++) await run.append(text('x'.repeat(50_000)));
    await until('all events at the fast client', async () => fast.text === (await run.after(0)));
    const most = Math.max(...stuck.map(({ peak }) => peak));
    // Its buffer, and one write on top.
    expect(most).toBeLessThan(scene.node.config.followerBufferBytes + 1_000_000);
    // All of them wait for the same bytes.
    const memory = new Set(stuck.flatMap(({ given }) => given.map(({ buffer }) => buffer)));
    expect([...memory].reduce((size, { byteLength }) => size + byteLength, 0)).toBeLessThan(
      4 * most + 1_000_000,
    );
  });

  it('disconnects a stuck client, but not a slow one', async () => {
    const strict = feedNode(scene.corner, scene.corner.url, {
      followerStuckSeconds: 2,
      followerBufferBytes: 2_048,
    });
    const run = await scene.begin();
    const stuck = new TestSink();
    const slow = new TestSink();
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
