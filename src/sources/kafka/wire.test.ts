import { describe, expect, test } from '@jest/globals';
import { bytesOf, int16, int32, int64, KafkaReader, list, string } from './wire.js';

const read = <Value>(bytes: Buffer, how: (reader: KafkaReader) => Value) =>
  how(new KafkaReader(bytes));

test('reads what it writes', () => {
  const bytes = Buffer.concat([
    int16(-3),
    int32(-70_000),
    int64(-5e12),
    string('größe'),
    bytesOf(Buffer.from('ab')),
    list([string('x'), string('')]),
    list([int32(1), int32(2)]),
    int16(-1),
  ]);
  read(bytes, (reader) => {
    expect([reader.int16(), reader.int32(), reader.int64()]).toEqual([-3, -70_000, -5e12]);
    expect([reader.string(), reader.bytesField().toString()]).toEqual(['größe', 'ab']);
    expect(reader.list(() => reader.string())).toEqual(['x', '']);
    expect([reader.lengthOfNumbers(), reader.nullableString()]).toEqual([2, undefined]);
  });
});

test('a list or bytes that are null are empty', () => {
  expect(read(int32(-1), (reader) => reader.list(() => reader.int8()))).toEqual([]);
  expect(read(int32(-1), (reader) => reader.bytesField())).toHaveLength(0);
});

describe('refuses', () => {
  test.each<[string, Buffer, (reader: KafkaReader) => unknown]>([
    ['a number that is cut', Buffer.alloc(3), (reader) => reader.int32()],
    ['a text longer than the answer', int16(9), (reader) => reader.string()],
    ['a text of negative length', int16(-2), (reader) => reader.nullableString()],
    ['a text that is null', int16(-1), (reader) => reader.string()],
    ['bytes of negative length', int32(-2), (reader) => reader.bytesField()],
    ['a list of negative length', int32(-2), (reader) => reader.list(() => 0)],
    ['a list of 2^31 entries', int32(2 ** 31 - 1), (reader) => reader.list(() => 0)],
    ['numbers beyond the answer', int32(2 ** 30), (reader) => reader.lengthOfNumbers()],
  ])('%s', (_, bytes, how) => {
    expect(() => read(bytes, how)).toThrow(/does not use the Kafka protocol/);
  });

  test('lists of more entries than are kept, also in all', () => {
    const many = Buffer.concat([int32(30_000), Buffer.alloc(30_000)]);
    const twice = Buffer.concat([many, many]);
    expect(() =>
      read(twice, (reader) => {
        reader.list(() => reader.int8());
        reader.list(() => reader.int8());
      }),
    ).toThrow('its answer has more than 50000 entries');
  });
});
