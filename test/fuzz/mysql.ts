import fc from 'fast-check';
import { boundedRows } from '../../src/sources/sql/bounded-rows.js';
import { judgeMysql } from '../../src/tools/mysql-inspect/mysql-judgement.js';
import { mysqlInspect } from '../../src/tools/mysql-inspect/mysql-inspect.js';
import { QUERIES, readMysql } from '../../src/tools/mysql-inspect/mysql-read.js';
import { clean } from '../../src/tools/net/endpoint.js';
import {
  hostileMysql,
  mysqlGreeting,
  mysqlMessage,
  mysqlOk,
} from '../support/hostile/hostile-mysql.js';
import { nodeOf } from '../support/loopback.js';
import { expectBounded, probe, withServers } from './probe.js';
import type { FuzzTarget } from './target.js';

/** Names of the columns that the queries ask for, and of the counters. */
const WORDS = [
  ...new Set(
    Object.values(QUERIES)
      .flat()
      .join(' ')
      .match(/\b[A-Za-z_]+\b/g),
  ),
];
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(...WORDS, 'idle in transaction', '"', "'", '\\', '\u001b[2J', '\u202e'),
  fc
    .tuple(fc.constantFrom("'", '"', '\\', "\\'", '1', 'a ', '\u0000'), fc.nat(20_000))
    .map(([piece, n]) => piece.repeat(n)),
);
const value = fc.oneof(
  ...[text, fc.integer(), fc.double(), fc.integer().map(String)],
  fc.jsonValue({ maxDepth: 20 }),
);
const columns = fc.constantFrom(...WORDS, 'Variable_name', 'Value', 'pid', 'blocker');
const row = fc.dictionary(columns, value, { maxKeys: 30, noNullPrototype: true });
const rows = fc.oneof(
  fc.array(row, { maxLength: 20 }),
  fc.tuple(row, fc.nat(1_000)).map(([each, n]) => Array<Record<string, unknown>>(n).fill(each)),
);

/** The judgement of whatever rows a server has answered with. */
export const mysqlRowsTarget: FuzzTarget<Record<string, unknown>[][]> = {
  name: 'rows of a MySQL',
  input: fc.array(rows, { minLength: 1, maxLength: 10 }),
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
        const node = nodeOf('mysql', 'mysql://u:hunter2@db/shop');
        const reading = await readMysql(
          { query, count: () => count },
          {
            clean: (each) => clean(each, node, 500),
            signal: new AbortController().signal,
            intervalMs: 0,
          },
        );
        const thresholds = { connectionsPercent: 80, slowMs: 1_000 };
        const { measurements, issues } = judgeMysql(reading, thresholds, () => true);
        expectBounded({ measurements, issues: issues.slice(0, 15) });
        await new Promise((resolve) => setImmediate(resolve));
      },
      close: () => Promise.resolve(),
    }),
};

const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  // Marks of messages: OK, an error, another sign-in, more of one, a request for a file.
  fc
    .tuple(fc.constantFrom(0x00, 0xff, 0xfe, 0x01, 0xfb, 0x0a), fc.uint8Array({ maxLength: 60 }))
    .map(([mark, bytes]) => Buffer.from([mark, ...bytes])),
);
const message = fc.oneof(
  fc.tuple(fc.nat(5), body).map(([sequence, bytes]) => mysqlMessage(sequence, bytes)),
  // A length that is not that of the body.
  fc
    .tuple(fc.nat(2 ** 24 - 1), fc.nat(255), body)
    .map(([length, sequence, bytes]) =>
      Buffer.concat([
        Buffer.from([length & 255, (length >> 8) & 255, length >> 16, sequence]),
        bytes,
      ]),
    ),
  fc.constant(mysqlGreeting()),
  fc.nat(5).map(mysqlOk),
);
const messages = fc.array(message, { minLength: 1, maxLength: 6 });

/** A server that sends any messages, in place of its greeting or after it. */
export const mysqlTarget: FuzzTarget<[boolean, Buffer[]]> = {
  name: 'answers of a MySQL',
  slow: true,
  input: fc.tuple(fc.boolean(), messages),
  open: () =>
    Promise.resolve({
      run: ([greets, bytes]) =>
        withServers(async (loopback) => {
          const [first, ...rest] = bytes;
          const { server } = hostileMysql({
            greeting: greets ? mysqlGreeting() : (first ?? mysqlOk(0)),
            answers: greets ? bytes : rest,
            ends: true,
          });
          const endpoint = `mysql://u:hunter2@127.0.0.1:${await loopback.open(server)}/shop`;
          await probe(mysqlInspect, nodeOf('mysql', endpoint, { timeoutMs: 100 }));
        }),
      close: () => Promise.resolve(),
    }),
};
