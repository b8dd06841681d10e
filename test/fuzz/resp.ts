import fc from 'fast-check';
import { RespProtocolError, RespReader } from '../../src/tools/redis-inspect/resp.js';
import type { FuzzTarget } from './target.js';

const length = fc.oneof(
  fc.integer({ min: -2, max: 5 }),
  fc.constantFrom(1_024, 1_025, 1_048_576, 30_000_000, 4_000_000_000),
);
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...'+-:$*'), length).map(([t, n]) => `${t}${n}\r\n`),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('\r', '\n', '\r\n', '>1\r\n_\r\n', '%1\r\n', '$-1\r\n') },
  { weight: 1, arbitrary: fc.nat(20_000).map((n) => 'x'.repeat(n)) },
);
const bytes = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(''))),
  fc
    .tuple(piece, fc.nat(2_000))
    .map(([text, n]) =>
      Buffer.from(text.repeat(Math.min(n, 3e6 / (text.length + 1))).slice(0, 3 * 2 ** 20)),
    ),
  fc.uint8Array({ maxLength: 4_000 }).map((array) => Buffer.from(array)),
);

/** The reader of Redis replies, in chunks of any size. */
export const respTarget: FuzzTarget<[Buffer, number]> = {
  name: 'replies of a Redis',
  input: fc.tuple(bytes, fc.integer({ min: 1, max: 70_000 })),
  open: () =>
    Promise.resolve({
      run: ([text, chunk]) => {
        const reader = new RespReader();
        try {
          for (let at = 0; at < text.length; at += chunk) {
            reader.push(text.subarray(at, at + chunk));
            while (reader.next() !== undefined);
          }
        } catch (error) {
          if (!(error instanceof RespProtocolError)) throw error;
        }
        return new Promise((resolve) => setImmediate(resolve));
      },
      close: () => Promise.resolve(),
    }),
};
