import { afterEach, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { healthyKafka } from '../../../test/support/programs/healthy-kafka.js';
import { closedPort, Loopback } from '../../../test/support/loopback.js';
import { type KafkaScript, scriptedKafka } from '../../../test/support/sources/scripted-kafka.js';
import type { Egress } from '../http/source-server.js';
import type { KafkaAddress } from './kafka-server.js';
import { readKafka } from './read-kafka.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const READING_MS = 500;

const read = (bootstrap: KafkaAddress[], egress: Egress = anyEgress) => {
  const reach = { egress, signal: new AbortController().signal, timeoutMs: 60_000 };
  return readKafka({ bootstrap }, reach, { readingMs: READING_MS });
};
async function readScripted(script: KafkaScript, egress?: Egress) {
  const { ports } = await scriptedKafka(loopback, script);
  return read(
    ports.map((port) => ({ host: '127.0.0.1', port })),
    egress,
  );
}

describe('a reading whose time is over', () => {
  test('says what is wrong with a broker that was asked before', async () => {
    const { ports } = await scriptedKafka(loopback, { ...healthyKafka(), change: () => undefined });
    const bootstrap = [await closedPort(), ...ports].map((port) => ({ host: '127.0.0.1', port }));
    await expect(read(bootstrap)).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED') as unknown,
    });
  });

  test('has what was read until then, and blames no broker', async () => {
    const script = healthyKafka();
    script.groups['early'] = { at: 1, state: 'Stable', offsets: { 'orders-0': 1 } };
    script.change = (answer, { broker, key }) => (broker === 2 && key === 16 ? undefined : answer);
    const { groups, silent, unread, partitions } = await readScripted(script);
    expect(partitions).toHaveLength(2);
    expect(groups).toMatchObject([{ id: 'early', unknown: 1 }]);
    expect(silent).toEqual([]);
    expect(unread).toEqual(['broker 2: no time was left', 'broker 1: no time was left']);
  });

  test('before a place was free says nothing about the brokers', async () => {
    const enter: Egress['enter'] = (_, signal) =>
      new Promise((__, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    await expect(readScripted(healthyKafka(), { ...anyEgress, enter })).rejects.toMatchObject({
      failure: 'failed',
      message: 'not read within 500 ms',
    });
  });
});

test('one connection at a time is open, and each gives its place back', async () => {
  let open = 0;
  let most = 0;
  let entered = 0;
  const enter: Egress['enter'] = () => {
    entered += 1;
    most = Math.max(most, (open += 1));
    return Promise.resolve(() => {
      open -= 1;
      return Promise.resolve();
    });
  };
  const { connections } = await readScripted(healthyKafka(), { ...anyEgress, enter });
  expect({ open, most, entered }).toEqual({ open: 0, most: 1, entered: connections });
});
