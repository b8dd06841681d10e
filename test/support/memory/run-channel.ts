import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { RunChannel, WINDOW_MS } from '../../../src/streams/run-channel.js';
import type { FakeLog } from './fake-log.js';

/** Bytes that a channel of a test buffers for one follower. */
export const BUFFER = 2_000;

/** A subscribed channel on a log, what it has reported, and a comparison with the log. */
export function channelOn(
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
export const settled = async () => {
  await sleep(2 * WINDOW_MS);
  for (let i = 0; i < 20; i++) await turn();
};
