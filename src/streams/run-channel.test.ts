import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FakeLog } from '../../test/support/memory/fake-log.js';
import { TestSink } from '../../test/support/memory/test-sink.js';
import { until } from '../../test/support/until.js';
import { BUFFER, channelOn, settled } from '../../test/support/memory/run-channel.js';

describe('RunChannel', () => {
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
    const slow = new TestSink();
    const fast = new TestSink();
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
    const fast = new TestSink();
    const slow = new TestSink();
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
