import { randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from '@jest/globals';
import { BEFORE_HEAD, endlessServer } from '../../../test/support/hostile/endless-server.js';
import { contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import { trustOptionsOf } from '../attributes.js';
import { exchange } from './http-exchange.js';

const loopback = new Loopback();
afterEach(() => loopback.close());
const node = nodeOf('service');

const ask = async (server: ReturnType<typeof endlessServer>) =>
  exchange(new URL(`http://127.0.0.1:${await loopback.open(server)}/`), {
    context: contextOf(node),
    trust: trustOptionsOf(node),
    timeoutMs: 60_000,
    maxBytes: 65_536,
  });

it.each(BEFORE_HEAD)('ends at endless %s before the head of an answer', async (_, piece) => {
  const { answer, fault } = await ask(endlessServer(piece));
  expect(answer).toBeUndefined();
  expect(fault).toMatchObject({
    kind: 'protocol',
    symptom: 'erroring',
    text: 'the answer is not valid HTTP (HPE_HEADER_OVERFLOW)',
  });
});

const head = (coding: string) => `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n\r\n`;

it.each([
  ['members of gzip', Buffer.from(head('gzip')), gzipSync('')],
  [
    'blocks of deflate',
    Buffer.concat([Buffer.from(head('deflate')), deflateSync('').subarray(0, 2)]),
    Buffer.from([0, 0, 0, 0xff, 0xff]),
  ],
])('ends at endless empty %s', async (_, start, piece) => {
  const { fault } = await ask(endlessServer(piece, start));
  expect(fault?.text).toBe('the compressed answer is broken (Z_DATA_ERROR)');
});

it('reads the start of a compressed body that is larger than asked for', async () => {
  const bytes = randomBytes(1_000_000);
  const { answer } = await ask(endlessServer(gzipSync(bytes), head('gzip')));
  expect(answer?.bodyComplete).toBe(false);
  expect(answer?.body).toBe(bytes.subarray(0, 65_536).toString('utf8'));
});
