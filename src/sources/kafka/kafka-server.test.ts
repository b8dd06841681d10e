import { expect, test } from '@jest/globals';
import { bootstrapOf } from './kafka-server.js';

test.each([
  ['broker', [['broker', 9092]]],
  [
    'kafka://a.example:1,[::1]:2',
    [
      ['a.example', 1],
      ['::1', 2],
    ],
  ],
  [
    'a:9092, b:9093',
    [
      ['a', 9092],
      ['b', 9093],
    ],
  ],
])('the brokers of %s', (endpoint, expected) => {
  expect(bootstrapOf(endpoint)?.map(({ host, port }) => [host, port])).toEqual(expected);
});

test.each([
  '',
  'a:0',
  'a:65536',
  'a,',
  'user:secret@a:9092',
  'a:9092/topic',
  'http://a:80',
  'a b',
  Array(31).fill('a').join(','),
])('%s names none', (endpoint) => expect(bootstrapOf(endpoint)).toBeUndefined());
