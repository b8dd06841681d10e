import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TestSink } from '../../test/support/memory/test-sink.js';
import type { EncodedView } from './encoded-view.js';
import { encodingSink } from './encoding-sink.js';
import { Follower } from './follower.js';

/** A format with a frame for `x` only. */
const view = {
  encode: (frames: Buffer, state: unknown) => ({
    bytes: Buffer.from(frames.toString().replace(/[^x]/g, '')),
    state,
  }),
} as EncodedView;

function followed() {
  const sink = new TestSink();
  return { sink, follower: new Follower(encodingSink(sink, view, undefined), 0, () => undefined) };
}

describe('a follower in another format', () => {
  it('writes nothing for events without a frame, so that the follower is pinged in time', async () => {
    const { sink, follower } = followed();
    follower.write(Buffer.from('x'), 1);
    const { wroteAt } = follower;
    await sleep(5);
    follower.write(Buffer.from('ooo'), 4);
    expect([follower.cursor, follower.wroteAt, sink.writes]).toEqual([4, wroteAt, 1]);
    follower.write(Buffer.from(': ping\n\n'));
    expect([follower.wroteAt > wroteAt, sink.pings]).toEqual([true, 1]);
  });

  it('does not count as stuck for events without a frame', async () => {
    const { sink, follower } = followed();
    sink.stall();
    follower.write(Buffer.from('ox'), 2);
    follower.stuckMs(1_000);
    follower.write(Buffer.from('ooo'), 5);
    expect(follower.stuckMs(3_000)).toBe(2_000);
    sink.sip(1);
    expect(follower.stuckMs(4_000)).toBe(0);
  });
});
