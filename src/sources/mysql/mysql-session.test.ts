import { createServer, isIP } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  askFullAuthentication,
  askSignIn,
  hostileMysql,
  mysqlError,
  mysqlGreeting,
  mysqlMessage,
  mysqlOk,
} from '../../../test/support/hostile/hostile-mysql.js';
import { Loopback, testCa } from '../../../test/support/loopback.js';
import type { SqlTls } from '../sql/sql-task.js';
import { withMysql } from './mysql-session.js';

const targets = new Loopback();
afterAll(() => targets.close());

const at = (...addresses: string[]) => ({
  resolve: async () => addresses.map((address) => ({ address, family: 4 as const })),
});

interface Given {
  host?: string;
  tls?: SqlTls;
  signal?: AbortSignal;
  egress?: ReturnType<typeof at>;
}

async function ask(
  server: ReturnType<typeof hostileMysql>['server'],
  {
    host = 'localhost',
    tls,
    signal = new AbortController().signal,
    egress = at('127.0.0.1'),
  }: Given = {},
) {
  const login = {
    host,
    port: await targets.open(server, isIP(host) === 0 ? undefined : host),
    database: 'x',
    user: 'u',
  };
  return withMysql(
    { ...login, password: 'hunter2', ...(tls && { tls }) },
    { egress, signal, timeoutMs: 20_000 },
    (session) => session.query('select 1'),
  );
}

const OK = mysqlOk(2);
const QUERY = mysqlOk(1);
/** Answers to the sign-in and to the five statements that set the session up. */
const SIGNED_IN = [OK, ...Array<Buffer>(5).fill(QUERY)];
const trusted = { tls: { ca: testCa() } };

test('signs in, and asks', async () => {
  const { server } = hostileMysql({ answers: SIGNED_IN });
  await expect(ask(server)).resolves.toEqual([]);
});

test('tries the next address of its host if one refuses', async () => {
  const { server } = hostileMysql({ answers: SIGNED_IN });
  const egress = at('127.0.0.2', '127.0.0.1');
  await expect(ask(server, { host: 'db.test', egress })).resolves.toEqual([]);
});

describe('a hostile server costs its session, and nothing else', () => {
  test.each([
    ['a result of four billion columns', mysqlMessage(1, Buffer.from('feffffffff00000000', 'hex'))],
    ['an empty message', mysqlMessage(1, '')],
    ['a message out of turn', mysqlMessage(9, 'x')],
    ['a message of 16 MiB', Buffer.concat([Buffer.from('ffffff01', 'hex'), Buffer.alloc(2 ** 16)])],
    ['a request for a file', mysqlMessage(1, '\u00fb/etc/passwd')],
  ])('%s', async (_, answer) => {
    const { server, received } = hostileMysql({ answers: [...SIGNED_IN, answer], ends: true });
    await expect(ask(server)).rejects.toThrow();
    expect(received()).not.toContain('root:');
  });

  test.each([
    ['rows without end', mysqlMessage(1, Buffer.alloc(1_002, 1)), undefined],
    ['empty messages without end', mysqlMessage(1, Buffer.alloc(1)), undefined],
    ['messages without end over TLS', mysqlMessage(1, Buffer.alloc(1_002, 1)), trusted],
  ])('%s', async (_, piece, options) => {
    const last = Buffer.concat(Array<Buffer>(Math.ceil(2 ** 16 / piece.length)).fill(piece));
    const { server } = hostileMysql({ answers: [...SIGNED_IN, last], endless: true });
    const before = process.memoryUsage().arrayBuffers;
    await expect(ask(server, options)).rejects.toMatchObject({ code: 'NOT_MYSQL' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20);
  });

  test.each([
    ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
    ['SMTP', Buffer.from('220 mail.example ESMTP\r\n')],
    ['another protocol of MySQL', mysqlMessage(0, Buffer.from([9, 1, 2, 3]))],
  ])('one that speaks %s has the code', async (_, greeting) => {
    const { server } = hostileMysql({ greeting, answers: [] });
    await expect(ask(server)).rejects.toMatchObject({ code: 'NOT_MYSQL' });
  });

  test.each(['EMFILE', 'toString', '__proto__'])(
    'an error named %j is its number',
    async (name) => {
      const { server } = hostileMysql({ greeting: mysqlError(0, 24, name), answers: [] });
      await expect(ask(server)).rejects.toMatchObject({ code: '24' });
    },
  );

  test('one that never answers is left when the signal fires', async () => {
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    const server = createServer((socket) => {
      socket.resume();
      cancel.abort(reason);
    });
    await expect(ask(server, { signal: cancel.signal })).rejects.toBe(reason);
    expect(await targets.openConnections()).toBe(0);
  });
});

describe('the password', () => {
  const sha2 = askSignIn('caching_sha2_password');
  test.each([
    ['in clear', [askSignIn('mysql_clear_password')]],
    ['by sha256_password', [askSignIn('sha256_password')]],
    ['by caching_sha2_password', [sha2, askFullAuthentication]],
  ])('is not sent %s without TLS', async (_, answers) => {
    const { server, received } = hostileMysql({ answers });
    await expect(ask(server)).rejects.toMatchObject({ code: 'UNSAFE_PASSWORD' });
    expect(received()).not.toContain('hunter2');
  });

  test.each([
    ['mysql_clear_password', [askSignIn('mysql_clear_password')]],
    ['caching_sha2_password', [sha2, askFullAuthentication]],
  ])('is not sent by %s to a certificate that is not verified', async (plugin, answers) => {
    const { server, received } = hostileMysql({ greeting: mysqlGreeting(plugin), answers });
    const asked = ask(server, { tls: { trustSelfSigned: true } });
    await expect(asked).rejects.toMatchObject({ code: 'UNSAFE_PASSWORD' });
    expect(received()).not.toContain('hunter2');
  });

  test('is sent in clear over TLS with a verified certificate', async () => {
    const answers = [askSignIn('mysql_clear_password'), mysqlOk(4), ...SIGNED_IN.slice(1)];
    const { server, received } = hostileMysql({ answers });
    await ask(server, trusted).catch(() => undefined);
    expect(received()).toContain('hunter2');
  });

  test.each([
    ['another authority', 'localhost', {}],
    ['another name', 'db.example', { ca: testCa() }],
    ['another address', '127.0.0.9', { ca: testCa() }],
  ])('is not sent where the certificate is of %s', async (_, host, tls) => {
    const { server, received } = hostileMysql({ answers: [askSignIn('mysql_clear_password')] });
    await expect(ask(server, { host, tls })).rejects.toMatchObject({ code: 'ERR_TLS_HANDSHAKE' });
    expect(received()).not.toContain('hunter2');
  });

  test('is sent where the certificate is of the address', async () => {
    const { server } = hostileMysql({ answers: SIGNED_IN });
    await expect(ask(server, { host: '127.0.0.1', ...trusted })).resolves.toEqual([]);
  });

  test('is not sent by a sign-in that is not supported', async () => {
    const { server } = hostileMysql({ answers: [askSignIn('client_ed25519')] });
    await expect(ask(server)).rejects.toMatchObject({
      code: 'UNSUPPORTED_SIGN_IN',
      message: 'it requires the sign-in method client_ed25519, which is not supported',
    });
  });
});
