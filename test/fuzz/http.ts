import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { httpProbe } from '../../src/tools/http-probe/http-probe.js';
import { BEFORE_HEAD } from '../support/hostile/endless-server.js';
import { Loopback, nodeOf } from '../support/loopback.js';
import { probe } from './probe.js';
import type { FuzzTarget } from './target.js';

const EMPTY_GZIP = gzipSync('').toString('latin1');

const status = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: 100, max: 599 }).map((n) => `HTTP/1.1 ${n} Reason\r\n`),
  },
  fc.constantFrom('HTTP/1.0 200\r\n', 'HTTP/9.9 999 \r\n', 'HTTP/1.1 101 Switching\r\n', '\r\n'),
  fc.string({ maxLength: 50 }),
);
/** What a server may send before the head of an answer as often as it likes. */
const flood = fc
  .tuple(
    fc.constantFrom(...BEFORE_HEAD.map(([, piece]) => piece), 'HTTP/1.1 102 Processing\r\n\r\n'),
    fc.nat(20_000),
  )
  .map(([piece, n]) => piece.repeat(n));
const header = fc.oneof(
  fc.constantFrom(
    'Content-Length: 5\r\n',
    'Content-Length: 99999999999999999999\r\n',
    'Content-Length: -1\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Location: /\r\n',
    'Location: http://[::\r\n',
    'Location: \u0000\r\n',
    'Content-Type: text/event-stream\r\n',
    'Content-Type: application/json\r\n',
    'Content-Encoding: gzip\r\n',
    'Connection: upgrade\r\nUpgrade: x\r\n',
    ' folded: line\r\n',
  ),
  fc
    .tuple(fc.string({ maxLength: 20 }), fc.string({ maxLength: 60 }))
    .map(([k, v]) => `${k}: ${v}\r\n`),
  fc.nat(20_000).map((n) => `X: ${'y'.repeat(n)}\r\n`),
);
const body = fc.oneof(
  fc.constantFrom(
    '',
    '5\r\nhello\r\n0\r\n\r\n',
    'ffffffff\r\nx',
    '{"status":"DOWN"}',
    '{"ok":false}',
  ),
  fc.nat(20_000).map((n) => EMPTY_GZIP.repeat(n)),
  fc.string({ maxLength: 500 }),
  fc.json({ maxDepth: 6 }),
  fc.nat(5_000).map((n) => '{"status":"DOWN","components":'.repeat(n)),
);
const answer = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: fc.constant('') }, flood),
    fc.array(status, { minLength: 1, maxLength: 2 }),
    fc.array(header, { maxLength: 30 }),
    body,
  )
  .map(
    ([before, lines, headers, text]) => `${before}${lines.join('')}${headers.join('')}\r\n${text}`,
  );

/** An HTTP server of raw bytes that ends its connections, or not. */
export const httpTarget: FuzzTarget<[string, boolean]> = {
  name: 'answers of an HTTP server',
  input: fc.tuple(answer, fc.boolean()),
  open: async () => {
    const loopback = new Loopback();
    let current: [string, boolean] = ['', true];
    const port = await loopback.open(
      createServer((socket) => {
        socket.once('data', () => {
          const [bytes, ends] = current;
          if (ends) socket.end(bytes, 'latin1');
          else socket.write(bytes, 'latin1');
        });
      }),
    );
    return {
      run: async (input) => {
        current = input;
        await probe(httpProbe, nodeOf('service', `http://127.0.0.1:${port}/`, { timeoutMs: 100 }));
      },
      close: () => loopback.close(),
    };
  },
};
