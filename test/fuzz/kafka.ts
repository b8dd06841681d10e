import fc from 'fast-check';
import { int16, int32, list, string } from '../../src/sources/kafka/wire.js';
import { kafkaInspect } from '../../src/tools/kafka-inspect/kafka-inspect.js';
import { healthyKafka } from '../support/programs/healthy-kafka.js';
import { nodeOf } from '../support/loopback.js';
import { type KafkaScript, scriptedKafka } from '../support/sources/scripted-kafka.js';
import { probe, withServers } from './probe.js';
import type { FuzzTarget } from './target.js';

/** Keys of the requests whose answers are replaced. */
const KEYS = [2, 3, 9, 15, 16, 18];

const number = fc.oneof(
  fc.constantFrom(0, 1, 2, -1, -2, 3, 2 ** 31 - 1, -(2 ** 31), 50_000),
  fc.integer(),
);
const text = fc.oneof(
  fc.constantFrom('orders', 'mailer', '127.0.0.1', 'consumer', 'Empty', '', '\u001b[2J'),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.nat(5_000).map((length) => 'x'.repeat(length)),
);
const piece = fc.oneof(
  number.map(int32),
  fc.integer({ min: -2, max: 60 }).map(int16),
  text.map(string),
  fc.array(text.map(string), { maxLength: 20 }).map(list),
  fc
    .tuple(text, fc.nat(3_000))
    .map(([each, count]) => list(Array<Buffer>(count).fill(string(each)))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);
const body = fc.array(piece, { maxLength: 20 }).map((pieces) => Buffer.concat(pieces));
/** Bytes that take the place of some in an answer that is otherwise right, or of all. */
const hostile = fc.record({
  key: fc.constantFrom(...KEYS),
  at: fc.option(fc.nat(60), { nil: undefined }),
  body,
});
type Hostile = typeof hostile extends fc.Arbitrary<infer Value> ? Value : never;

/** Brokers one of whose answers is hostile. */
export const kafkaTarget: FuzzTarget<Hostile> = {
  name: 'answers of a Kafka',
  slow: true,
  input: hostile,
  open: () =>
    Promise.resolve({
      run: (input) =>
        withServers(async (loopback) => {
          const change: KafkaScript['change'] = (answer, { key }) => {
            if (key !== input.key) return answer;
            // After the number of the request.
            const from = 4 + (input.at ?? 0);
            const rest = input.at === undefined ? [] : [answer.subarray(from + input.body.length)];
            return Buffer.concat([answer.subarray(0, from), input.body, ...rest]);
          };
          const { ports } = await scriptedKafka(loopback, { ...healthyKafka(), change });
          const endpoint = ports.map((port) => `127.0.0.1:${port}`).join(',');
          await probe(kafkaInspect, nodeOf('kafka', endpoint, { timeoutMs: 100, intervalMs: 100 }));
        }),
      close: () => Promise.resolve(),
    }),
};
