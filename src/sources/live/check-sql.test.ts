import { createServer } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { hostileMysql, mysqlError, mysqlOk } from '../../../test/support/hostile/hostile-mysql.js';
import { hostilePostgres, pgMessage } from '../../../test/support/hostile/hostile-postgres.js';
import { closedPort, Loopback } from '../../../test/support/loopback.js';
import { checkSource } from './check-source.js';

const targets = new Loopback();
afterAll(() => targets.close());

const SECRET = 'correct-horse-battery';
const reach = { egress: anyEgress, secretOf: () => SECRET };
const SIGNED_IN = [mysqlOk(2), ...Array<Buffer>(5).fill(mysqlOk(1))];

const check = async (kind: 'mysql' | 'postgres', port: number) =>
  checkSource(
    {
      id: 'db',
      kind,
      endpoint: `${kind}://127.0.0.1:${port}/shop`,
      auth: { user: 'consilium', password: '${env:DB_PASSWORD}' },
    },
    reach,
    new AbortController().signal,
  );
const mysqlOf = (...answers: Buffer[]) => targets.open(hostileMysql({ answers }).server);

test('a user that may see everything', async () => {
  const port = await mysqlOf(...SIGNED_IN, mysqlOk(1));
  expect(await check('mysql', port)).toMatchObject({ state: 'ok', detail: '' });
});

test('a user that lacks a privilege, and what that hides', async () => {
  const port = await mysqlOf(...SIGNED_IN, mysqlError(1, 1227, 'Access denied'));
  const detail = 'The user lacks the privilege PROCESS: sessions and locks of others are hidden.';
  expect(await check('mysql', port)).toMatchObject({ state: 'ok', detail });
});

test('a refused user, without the text of the server about its password', async () => {
  const state = await check('mysql', await mysqlOf(mysqlError(2, 1045, `denied: ${SECRET}`)));
  expect(state).toMatchObject({ state: 'refused' });
  expect(JSON.stringify(state)).not.toContain(SECRET);
  const greeting = pgMessage('E', Buffer.from('SFATAL\0C28P01\0Mwrong password\0\0'));
  const port = await targets.open(hostilePostgres({ greeting }).server);
  expect(await check('postgres', port)).toMatchObject({
    state: 'refused',
    detail: expect.stringContaining('Nodes that select from it are unchecked.') as unknown,
  });
});

test.each(['mysql', 'postgres'] as const)('a %s that is not there', async (kind) => {
  expect(await check(kind, await closedPort())).toMatchObject({
    state: 'unreachable',
    detail: expect.stringMatching(/A diagnosis reports this at the nodes/) as unknown,
  });
});

test('a server that offers no TLS, which its entry asks for, answers', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.write('N')));
  const port = await targets.open(server);
  const listed = { id: 'db', kind: 'postgres' as const, endpoint: `postgres://127.0.0.1:${port}` };
  const state = await checkSource({ ...listed, tls: true }, reach, new AbortController().signal);
  const detail = expect.stringContaining('does not support SSL') as unknown;
  expect(state).toMatchObject({ state: 'failed', detail });
});

test('a server that takes connections and says nothing, such as one of HTTP', async () => {
  const port = await targets.open(createServer());
  expect(await check('postgres', port)).toMatchObject({
    state: 'unreachable',
    detail: `127.0.0.1:${port}: no answer of a postgres server within 5000 ms. A diagnosis reports this at the nodes that select from it.`,
  });
});

test('a server that answers with another error', async () => {
  const port = await mysqlOf(mysqlError(2, 1040, 'Too many connections'));
  expect(await check('mysql', port)).toMatchObject({ state: 'failed' });
});
