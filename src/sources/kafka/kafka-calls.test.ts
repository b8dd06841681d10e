import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import {
  hasKcat,
  type KafkaProgram,
  startKcat,
} from '../../../test/support/programs/kafka-program.js';
import { committed, endOffsets, type KafkaBroker, metadata } from './kafka-calls.js';
import { type KafkaConnection, withBroker } from './kafka-connection.js';
import { bootstrapOf, type KafkaAddress } from './kafka-server.js';

// Without Debian's package `kcat` there are no brokers that another program has written.
(hasKcat() ? describe : describe.skip)('the mock cluster of librdkafka', () => {
  let kafka: KafkaProgram;
  beforeAll(async () => {
    kafka = await startKcat();
    for (const message of ['one', 'two', 'three']) kafka.write('orders', 2, message);
  });
  afterAll(() => kafka.stop());

  const ask = <Value>(
    broker: KafkaAddress,
    work: (connection: KafkaConnection) => Promise<Value>,
  ) => {
    const signal = new AbortController().signal;
    return withBroker(broker, {}, { egress: anyEgress, signal, timeoutMs: 5_000 }, work);
  };
  const brokers = async (): Promise<KafkaBroker[]> => {
    const [first] = bootstrapOf(kafka.brokers) ?? [];
    if (first === undefined) throw new Error('no broker');
    return (await ask(first, metadata)).brokers;
  };

  test('says its brokers, and where partitions end', async () => {
    const all = await brokers();
    expect(all.map(({ host, port }) => `${host}:${port}`).join(',')).toBe(kafka.brokers);
    const [first] = all as [KafkaBroker];
    const { partitions } = await ask(first, metadata);
    const written = partitions.find(({ index }) => index === 2);
    expect(written).toMatchObject({ topic: 'orders', replicas: 3, inSync: 3 });
    const leader = all.find(({ id }) => id === written?.leader);
    const ends = await ask(leader as KafkaBroker, (connection) =>
      endOffsets(connection, new Map([['orders', [2]]])),
    );
    expect(ends).toEqual([{ topic: 'orders', index: 2, offset: 3 }]);
  });

  test('answers for a group that has committed nothing', async () => {
    for (const broker of await brokers())
      expect(await ask(broker, (connection) => committed(connection, 'mailer'))).toEqual([]);
  });

  test('has no groups to list', async () => {
    const [first] = await brokers();
    const has = await ask(first as KafkaBroker, (connection) =>
      Promise.resolve(
        (['metadata', 'offsetFetch', 'listGroups'] as const).map((api) => connection.has(api)),
      ),
    );
    expect(has).toEqual([true, true, false]);
  });
});
