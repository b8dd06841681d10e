import { createServer } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  askCleartext,
  askMd5,
  askScram,
  hostilePostgres,
  pgAuthentication,
  pgMessage,
  signedIn,
} from '../../../test/support/hostile/hostile-postgres.js';
import { Loopback, testCa } from '../../../test/support/loopback.js';
import type { SqlTls } from '../sql/sql-task.js';
import { withPostgres } from './postgres-session.js';

const targets = new Loopback();
afterAll(() => targets.close());

const at = (...addresses: string[]) => ({
  resolve: async () => addresses.map((address) => ({ address, family: 4 as const })),
});

interface Given {
  tls?: SqlTls;
  signal?: AbortSignal;
  egress?: ReturnType<typeof at>;
}

async function ask(
  server: ReturnType<typeof hostilePostgres>['server'],
  { tls, signal = new AbortController().signal, egress = at('127.0.0.1') }: Given = {},
) {
  const login = { host: 'localhost', port: await targets.open(server), database: 'x', user: 'u' };
  return withPostgres(
    { ...login, password: 'hunter2', ...(tls && { tls }) },
    { egress, signal, timeoutMs: 20_000 },
    (session) => session.query('select 1'),
  );
}

/** Says this to each client, without TLS. */
const speaker = (greeting: Buffer) => ({
  server: createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(greeting));
  }),
});

test('tries the next address of its host if one refuses', async () => {
  const { server, received } = hostilePostgres({ greeting: signedIn, answer: pgMessage('\x01') });
  await expect(ask(server, { egress: at('127.0.0.2', '127.0.0.1') })).rejects.toThrow();
  expect(received()).toContain('select 1');
});

describe('a hostile server costs its session, and nothing else', () => {
  test.each([
    ['a data row of 1,000 columns without any', Buffer.from('440000000603e8', 'hex')],
    ['a description that is too short', Buffer.from('540000000603e8', 'hex')],
    ['a negative number of columns', Buffer.from('5400000006ffff', 'hex')],
    ['a frame of no known type', pgMessage('\x01')],
  ])('%s', async (_, answer) => {
    const { server } = hostilePostgres({ greeting: signedIn, answer });
    await expect(ask(server)).rejects.toThrow();
  });

  test('the error of the parser has a code of its own', async () => {
    const answer = Buffer.from('440000000603e8', 'hex');
    const { server } = hostilePostgres({ greeting: signedIn, answer });
    await expect(ask(server)).rejects.toMatchObject({ code: 'NOT_POSTGRES' });
  });

  test.each([
    ['rows without end', pgMessage('D', Buffer.alloc(1_002, 0)), undefined],
    ['empty rows without end', pgMessage('D', Buffer.alloc(2)), undefined],
    ['a frame of 256 MiB', Buffer.from('440ffffff0', 'hex'), undefined],
    ['notices without end over TLS', pgMessage('N', Buffer.from('Mx\0\0')), {}],
  ])('%s', async (_, piece, tls) => {
    const long = piece.length === 5;
    const answer = long
      ? Buffer.concat([piece, Buffer.alloc(2 ** 16)])
      : Buffer.concat(Array<Buffer>(Math.ceil(2 ** 16 / piece.length)).fill(piece));
    const { server } = hostilePostgres({ greeting: signedIn, answer, endless: true });
    const before = process.memoryUsage().arrayBuffers;
    await expect(ask(server, tls && { tls: { ca: testCa() } })).rejects.toMatchObject({
      code: 'NOT_POSTGRES',
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20);
  });

  const http = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');
  test.each([
    ['HTTP', http, undefined],
    ['HTTP to a request for TLS', http, { tls: {}, plain: true }],
    ['HTTP over TLS', http, { tls: { ca: testCa() } }],
    ['a frame of 1 GB', Buffer.from('RFB 003.008\n'), undefined],
  ])('one that speaks %s and stays connected has the code', async (_, greeting, options) => {
    const { server } =
      options && 'plain' in options ? speaker(greeting) : hostilePostgres({ greeting });
    await expect(ask(server, options)).rejects.toMatchObject({ code: 'NOT_POSTGRES' });
  });

  test.each([
    ['the nonce of another session', 'r=x,s=AAAA,i=4096'],
    ['no nonce', 's=AAAA,i=4096'],
    ['what is no list of attributes', 'HTTP'],
  ])('one that sends %s in SCRAM has the code', async (_, message) => {
    const answer = pgAuthentication(11, message);
    const { server } = hostilePostgres({ greeting: askScram, answer });
    await expect(ask(server)).rejects.toMatchObject({ code: 'NOT_POSTGRES' });
  });

  test.each([
    ['no mechanism of ours', pgAuthentication(10, 'OAUTHBEARER\0\0')],
    ['no processes left', Buffer.from('Ecould not fork new process for connection\n\0')],
  ])('one that has %s is a PostgreSQL', async (_, greeting) => {
    const { server } = hostilePostgres({ greeting, ends: true });
    await expect(ask(server)).rejects.toMatchObject({ code: '' });
  });

  test('one that never answers is left when the signal fires', async () => {
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    // A server that does not read what it was sent does not see that the connection ended.
    const server = createServer((socket) => {
      socket.resume();
      cancel.abort(reason);
    });
    await expect(ask(server, { signal: cancel.signal })).rejects.toBe(reason);
    expect(await targets.openConnections()).toBe(0);
  });
});

describe('the password', () => {
  test.each([
    ['in clear', askCleartext],
    ['as MD5', askMd5],
    ['in clear after a request for SCRAM', Buffer.concat([askScram, askCleartext])],
  ])('is not sent %s without TLS', async (_, greeting) => {
    const { server, received } = hostilePostgres({ greeting });
    await expect(ask(server)).rejects.toMatchObject({ code: 'UNSAFE_PASSWORD' });
    expect(received()).not.toMatch(/hunter2|md5/);
  });

  test('is not sent in clear to a certificate that is not verified', async () => {
    const { server, received } = hostilePostgres({ greeting: askCleartext });
    const asked = ask(server, { tls: { trustSelfSigned: true } });
    await expect(asked).rejects.toMatchObject({ code: 'UNSAFE_PASSWORD' });
    expect(received()).not.toContain('hunter2');
  });

  test('is sent in clear over TLS with a verified certificate', async () => {
    const { server, received } = hostilePostgres({ greeting: askCleartext, answer: signedIn });
    await expect(ask(server, { tls: { ca: testCa() } })).resolves.toEqual([]);
    expect(received()).toContain('hunter2');
  });
});
