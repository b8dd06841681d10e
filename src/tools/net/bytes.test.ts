import { expect, it, test } from '@jest/globals';
import { BoundedBytes } from './bounded-bytes.js';
import { textOfBytes } from './text-of-bytes.js';

it('keeps bytes up to its bound, however they come', () => {
  const bytes = new BoundedBytes(5);
  expect([...'abcdefg'].map((each) => bytes.push(Buffer.from(each)))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(bytes.bytes().toString()).toBe('abcde');
});

it('keeps a million pieces in one buffer of that size', () => {
  const bytes = new BoundedBytes(1_000_000);
  for (let i = 0; i < 1_000_000; i++) bytes.push(Buffer.of(i & 255));
  expect(bytes.bytes()).toHaveLength(1_000_000);
  expect(bytes.bytes()[999_999]).toBe(999_999 & 255);
});

test.each<[string, Uint8Array, number, { text: string; whole: boolean }]>([
  ['text', Buffer.from('grün'), 99, { text: 'grün', whole: true }],
  ['text that is cut', Buffer.from('grün'), 2, { text: 'gr', whole: false }],
  ['a character that is cut in two', Buffer.from('grün'), 3, { text: 'gr', whole: false }],
  ['broken text', Buffer.of(97, 255, 98), 99, { text: 'a\ufffdb', whole: false }],
  ['no text', Buffer.of(97, 0), 99, { text: '(binary, 2 bytes)', whole: false }],
])('reads %s', (_, bytes, most, expected) => expect(textOfBytes(bytes, most)).toEqual(expected));
