import { expect, test } from '@jest/globals';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { nodeOf } from '../../../test/support/loopback.js';
import { mentionsOf } from './mentions.js';

const at = (id: string, kind: string, endpoint: string) => ({ ...nodeOf(kind, endpoint), id });
const orders = at('orders', 'service', 'http://127.0.0.1:8080/');
const NODES = [
  orders,
  at('db', 'tcp', '127.0.0.1:55432'),
  at('cache', 'redis', 'redis://:s3cret-one@127.0.0.1:6379/0'),
  at('stock', 'service', 'http://stock.internal:8081/'),
  at('mail', 'tcp', '[::1]:25'),
];
const mentions = (text: string) => mentionsOf(text, orders, NODES);

test.each([
  [
    'connection to server at "127.0.0.1", port 55432 failed: FATAL: remaining connection slots are reserved',
    { node: 'db', endpoint: '127.0.0.1:55432', symptom: 'saturated' },
  ],
  ['connect ECONNREFUSED 127.0.0.1:6379', { node: 'cache', symptom: 'unreachable' }],
  ['dial tcp [::1]:25: connect: connection refused', { node: 'mail', symptom: 'unreachable' }],
  ['getaddrinfo ENOTFOUND stock.internal', { node: 'stock', symptom: 'nameless' }],
  ['failed to connect to `host=127.0.0.1 port=55432`', { node: 'db', symptom: 'unreachable' }],
  ['127.0.0.1:6379 says WRONGPASS invalid username-password pair', { symptom: 'invalid' }],
  ['read ECONNRESET 127.0.0.1:6379', { node: 'cache', symptom: 'erroring' }],
  [
    "Can't connect to MySQL server on '127.0.0.1' (port 55432): timed out",
    { node: 'db', symptom: 'slow' },
  ],
])('finds the node that %j names', (text, expected) => {
  expect(mentions(text)).toMatchObject([expected]);
});

test.each([
  'everything is broken',
  'connect ECONNREFUSED 127.0.0.1:63790',
  'connect ECONNREFUSED 127.0.0.1:9999',
  'an error of 127.0.0.1',
  'see http://127.0.0.1:8080/ for more',
  'stock.internal.example is another host',
])('finds none in %j', (text) => {
  expect(mentions(text)).toEqual([]);
});

test('shows no control characters and no password', () => {
  const [mention] = mentions('redis://:s3cret-one@127.0.0.1:6379\u001b[31m\n refused');
  expect(mention?.failure).toBe('redis://***@127.0.0.1:6379 [31m refused');
});

test('is quick however many nodes there are, and whatever the text', () => {
  const nodes = Array.from({ length: 1_000 }, (_, i) => at(`n${i}`, 'tcp', `127.0.0.1:${i + 1}`));
  const text = '127.0.0.1" ,( port :/ '.repeat(5_000);
  const before = processorMs();
  expect(mentionsOf(text, orders, nodes)).toEqual([]);
  expect(processorMs() - before).toBeLessThan(1_000);
});
