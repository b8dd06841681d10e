import fc from 'fast-check';
import { boundedRows } from '../../src/sources/sql/bounded-rows.js';
import { judgePostgres } from '../../src/tools/postgres-inspect/postgres-judgement.js';
import { postgresInspect } from '../../src/tools/postgres-inspect/postgres-inspect.js';
import { QUERIES, readPostgres } from '../../src/tools/postgres-inspect/postgres-read.js';
import { clean } from '../../src/tools/net/endpoint.js';
import { hostilePostgres, pgMessage, signedIn } from '../support/hostile/hostile-postgres.js';
import { nodeOf } from '../support/loopback.js';
import { expectBounded, probe, withServers } from './probe.js';
import type { FuzzTarget } from './target.js';
import { anyText } from '../support/generators/any-text.js';

/** Names of the columns that the queries ask for. */
const COLUMNS = [
  ...new Set(
    Object.values(QUERIES)
      .join(' ')
      .match(/\b[a-z_]+\b/g),
  ),
];
const text = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.constantFrom('idle in transaction', 'active', 'lost', "'", "''", '$a$', '\u001b[2J', '\u202e'),
  fc
    .tuple(fc.constantFrom("'", '$a', '1', 'a ', '"', '\u0000', '.1'), fc.nat(20_000))
    .map(([piece, n]) => piece.repeat(n)),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 }),
  fc.nat(10_000).map((n) => Array<number>(n).fill(1)),
  fc.jsonValue({ maxDepth: 20 }),
);
const row = fc.dictionary(fc.constantFrom(...COLUMNS), value, {
  maxKeys: 30,
  noNullPrototype: true,
});
const rows = fc.oneof(
  fc.array(row, { maxLength: 20 }),
  fc.tuple(row, fc.nat(1_000)).map(([each, n]) => Array<Record<string, unknown>>(n).fill(each)),
);

/** The judgement of whatever rows a server has answered with. */
export const postgresRowsTarget: FuzzTarget<Record<string, unknown>[][]> = {
  name: 'rows of a PostgreSQL',
  input: fc.array(rows, { minLength: 1, maxLength: 14 }),
  open: () =>
    Promise.resolve({
      run: async (answers) => {
        let count = 0;
        // The thread that reads them bounds the rows, and posts each answer by itself.
        const posted = answers.map(boundedRows);
        const query = async () => {
          count += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return posted[count % posted.length] ?? [];
        };
        const node = nodeOf('postgres', 'postgres://u:hunter2@db/shop');
        const session = { query, count: () => count };
        const reading = await readPostgres(session, {
          clean: (each) => clean(each, node, 500),
        });
        const thresholds = { connectionsPercent: 80, slowMs: 1_000 };
        const { measurements, issues } = judgePostgres(reading, thresholds, () => true);
        expectBounded({ measurements, issues: issues.slice(0, 15) });
        await new Promise((resolve) => setImmediate(resolve));
      },
      close: () => Promise.resolve(),
    }),
};

const type = fc.constantFrom(...'RSKZTDCEINAnstGHWvdc12', '\u0001', '\u00ff');
const fields = fc
  .array(fc.tuple(fc.constantFrom(...'SVCMDHPpqWstcdnFLR'), text), { maxLength: 8 })
  .map((each) => Buffer.from(`${each.map(([name, said]) => `${name}${said}\0`).join('')}\0`));
const frame = fc.oneof(
  fc
    .tuple(type, fc.uint8Array({ maxLength: 300 }))
    .map(([t, body]) => pgMessage(t, Buffer.from(body))),
  fc.tuple(fc.constantFrom('E', 'N'), fields).map(([t, body]) => pgMessage(t, body)),
  // A length that is not that of the body.
  fc.tuple(type, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })).map(([t, size]) => {
    const head = Buffer.from(`${t}\0\0\0\0`, 'latin1');
    head.writeInt32BE(size, head.length - 4);
    return head;
  }),
  fc.constant(pgMessage('Z', Buffer.from('I'))),
);
const frames = fc.array(frame, { maxLength: 12 }).map((each) => Buffer.concat(each));

/** A server that sends any frames, before the sign-in or after it. */
export const postgresTarget: FuzzTarget<[boolean, Buffer]> = {
  name: 'answers of a PostgreSQL',
  slow: true,
  input: fc.tuple(fc.boolean(), frames),
  open: () =>
    Promise.resolve({
      run: ([isSignedIn, bytes]) =>
        withServers(async (loopback) => {
          const { server } = hostilePostgres(
            isSignedIn
              ? { greeting: signedIn, answer: bytes, ends: true }
              : { greeting: bytes, ends: true },
          );
          const endpoint = `postgres://u:hunter2@127.0.0.1:${await loopback.open(server)}/shop`;
          await probe(postgresInspect, nodeOf('postgres', endpoint, { timeoutMs: 100 }));
        }),
      close: () => Promise.resolve(),
    }),
};
