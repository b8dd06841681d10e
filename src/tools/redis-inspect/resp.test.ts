import { expect, test } from '@jest/globals';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { encodeCommand, RESP_BOUNDS, RespError, RespReader, type RespValue } from './resp.js';

function read(...chunks: (string | Uint8Array)[]): RespValue | undefined {
  const reader = new RespReader();
  for (const chunk of chunks) {
    reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    const value = reader.next();
    if (value !== undefined) return value;
  }
  return undefined;
}

test.each([
  ['+PONG\r\n', 'PONG'],
  [':-42\r\n', -42],
  ['$3\r\na\r\n\r\n', 'a\r\n'],
  ['$0\r\n\r\n', ''],
  ['$-1\r\n', null],
  ['*-1\r\n', null],
  ['*0\r\n', []],
  ['*2\r\n*1\r\n:1\r\n*2\r\n$1\r\nx\r\n+y\r\n', [[1], ['x', 'y']]],
])('reads %j', (bytes, value) => {
  expect(read(bytes)).toEqual(value);
  expect(read(...bytes)).toEqual(value);
});

test('reads an error as a value, and two replies one after the other', () => {
  const reader = new RespReader();
  reader.push(Buffer.from('-NOAUTH Authentication required.\r\n+OK\r\n+half'));
  expect(reader.next()).toEqual(new RespError('NOAUTH Authentication required.'));
  expect(reader.next()).toBe('OK');
  expect(reader.next()).toBeUndefined();
});

test('writes a command', () => {
  expect(encodeCommand(['AUTH', 'pässword\r\n'])).toBe(
    '*2\r\n$4\r\nAUTH\r\n$11\r\npässword\r\n\r\n',
  );
});

const nested = (depth: number) => '*1\r\n'.repeat(depth) + ':1\r\n';

test.each([
  ['C1: a push of RESP3 whose first element is null', '>1\r\n_\r\n'],
  ['C2: nested arrays of 30,000,000 entries', '*30000000\r\n'.repeat(60)],
  ['C2: a string of 4 GB', '$4000000000\r\n'],
  ['nested deeper than its bound', nested(RESP_BOUNDS.depth + 1)],
  ['an array above its bound', `*${RESP_BOUNDS.array + 1}\r\n`],
  ['a string above its bound', `$${RESP_BOUNDS.bulk + 1}\r\n`],
  ['a line without an end', `+${'x'.repeat(RESP_BOUNDS.line + 2)}`],
  ['a length without an end', `$${'1'.repeat(RESP_BOUNDS.line + 2)}`],
  ['more values than its bound', `*1024\r\n${`*1024\r\n${':1\r\n'.repeat(1_024)}`.repeat(9)}`],
  ['a negative length', '*-2\r\n'],
  ['no number', ':1e5\r\n'],
  ['an empty number', '$\r\n'],
  ['a string longer than it says', '$1\r\nabc\r\n'],
  ['an answer of HTTP', 'HTTP/1.1 400 Bad Request\r\n'],
  ['a type of RESP3', '%1\r\n+a\r\n+b\r\n'],
])('refuses %s', (_, bytes) => {
  expect(() => read(bytes)).toThrow(expect.objectContaining({ code: 'RESP_PROTOCOL' }));
});

test('accepts what is at its bound', () => {
  expect(read(nested(RESP_BOUNDS.depth))).toEqual([[[1]]]);
  expect(read(`*1024\r\n${'+\r\n'.repeat(1_024)}`)).toHaveLength(1_024);
  expect(read(`$${RESP_BOUNDS.bulk}\r\n${'x'.repeat(RESP_BOUNDS.bulk)}\r\n`)).toHaveLength(
    RESP_BOUNDS.bulk,
  );
});

test('C1, C2: has the bounds of one reply of a Redis', () => {
  expect(RESP_BOUNDS).toEqual({
    depth: 3,
    array: 1_024,
    elements: 8_192,
    bulk: 1_048_576,
    line: 16_384,
    bytes: 2_097_152,
  });
  expect(() => read('*1\r\n*1\r\n*1\r\n*1\r\n')).toThrow('arrays nested deeper than 3');
  expect(() => read('*1025\r\n')).toThrow('an array of 1025 entries');
});

test.each([...'>_%~,#(=!|{hG', '\0'])(
  'C1: refuses %j at once, without waiting for its line',
  (byte) => {
    expect(() => read(byte)).toThrow('bytes that are no reply');
  },
);

test('refuses a reply that is larger as a whole than its bound', () => {
  const reader = new RespReader();
  const mebibyte = `$${RESP_BOUNDS.bulk}\r\n${'x'.repeat(RESP_BOUNDS.bulk)}\r\n`;
  expect(() => {
    for (const part of ['*3\r\n', mebibyte, mebibyte]) {
      reader.push(Buffer.from(part));
      reader.next();
    }
  }).toThrow(expect.objectContaining({ code: 'RESP_PROTOCOL' }));
});

test('is linear in the bytes, however they are cut', () => {
  const bytes = Buffer.from(`$500000\r\n${'x'.repeat(500_000)}\r\n`);
  const reader = new RespReader();
  const before = processorMs();
  let value: RespValue | undefined;
  for (let i = 0; i < bytes.length; i += 1) {
    reader.push(bytes.subarray(i, i + 1));
    value = reader.next();
  }
  expect(value).toHaveLength(500_000);
  // Quadratic reading takes minutes.
  expect(processorMs() - before).toBeLessThan(10_000);
});
