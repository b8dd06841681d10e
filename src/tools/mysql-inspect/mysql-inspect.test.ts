import { createServer } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  askSignIn,
  hostileMysql,
  mysqlError,
  mysqlGreeting,
} from '../../../test/support/hostile/hostile-mysql.js';
import { closedPort, Loopback, nodeOf } from '../../../test/support/loopback.js';
import { mysqlInspect } from './mysql-inspect.js';
import { inspect, inspectListed } from '../../../test/support/sources/inspect-mysql.js';

test('applies to a node with a URL of its kind, or that selects a listed server', () => {
  const applies = (endpoint?: string) => mysqlInspect.appliesTo(nodeOf('mysql', endpoint));
  expect(['mysql://db/shop', 'mariadb://db', 'db:3306', undefined].map(applies)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const bound = { ...nodeOf('mysql'), in: { db: 'shop' } };
  expect(mysqlInspect.appliesTo(bound, [{ id: 'db', kind: 'mysql', provides: [] }])).toBe(true);
});

describe('a server that cannot be asked', () => {
  const targets = new Loopback();
  afterAll(() => targets.close());
  const at = async (...[given]: Parameters<typeof hostileMysql>) =>
    `mysql://u:hunter2@127.0.0.1:${await targets.open(hostileMysql(given).server)}/x`;

  test('is not there', async () => {
    expect(await inspect(`mysql://u@127.0.0.1:${await closedPort()}/x`)).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' }],
    });
  });

  test('does not answer', async () => {
    const port = await targets.open(createServer());
    const { issues } = await inspect(`mysql://u@127.0.0.1:${port}/x`, { timeoutMs: 200 });
    const title = 'connected, but no complete answer within 200 ms';
    expect(issues).toMatchObject([{ symptom: 'slow', title, duration_ms: 200 }]);
  });

  test('is something else', async () => {
    const greeting = Buffer.from('SSH-2.0-OpenSSH_9.2\r\n');
    expect((await inspect(await at({ greeting, answers: [] }))).issues).toMatchObject([
      { symptom: 'erroring', title: 'does not answer as a MySQL does (NOT_MYSQL)' },
    ]);
  });

  test('offers no TLS, which its endpoint asks for', async () => {
    const flagless = mysqlGreeting();
    flagless.writeUInt16LE(0x8200, 4 + 1 + 6 + 4 + 9);
    const endpoint = `${await at({ greeting: flagless, answers: [] })}?sslmode=require`;
    expect((await inspect(endpoint)).issues).toMatchObject([
      {
        symptom: 'invalid',
        kind: 'config',
        title: 'does not offer TLS, although its setting requires it (ERR_TLS_NOT_OFFERED)',
      },
    ]);
  });

  test('asks for a password that others could read', async () => {
    const endpoint = await at({ answers: [askSignIn('mysql_clear_password')] });
    expect((await inspect(endpoint)).issues).toMatchObject([
      { kind: 'auth', title: expect.stringContaining('(UNSAFE_PASSWORD)') as unknown },
    ]);
  });

  test('asks for a sign-in that is not supported: it is not measured', async () => {
    const endpoint = await at({ answers: [askSignIn('client_ed25519')] });
    await expect(inspect(endpoint)).rejects.toThrow('requires the sign-in method client_ed25519');
  });

  test('refuses all clients, in words without control characters and its own password', async () => {
    const greeting = mysqlError(0, 1040, '\u001b[2JToo many connections hunter2');
    const result = await inspect(await at({ greeting, answers: [] }));
    expect(result).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'saturated', kind: 'connection-pool-exhausted' }],
    });
    expect(JSON.stringify(result)).not.toMatch(/hunter2|\\u001b/);
  });

  test.each([
    [1129, 'Host is blocked because of many connection errors', 'blocked-host'],
    [1053, 'Server shutdown in progress', 'restarting-database'],
  ])('refuses with %d, and says what to do', async (code, words, steps) => {
    const { issues } = await inspect(
      await at({ greeting: mysqlError(0, code, words), answers: [] }),
    );
    expect(issues).toMatchObject([{ severity: 'critical', steps }]);
  });

  test.each([
    ['a user', '', mysqlError(2, 1045, 'Access denied')],
    ['a password', 'u@', mysqlError(2, 1045, 'Access denied')],
    ['a password', 'u@', askSignIn('mysql_clear_password')],
  ])('wants a credential, and its endpoint has not %s', async (_, user, answer) => {
    const { server } = hostileMysql({ answers: [answer] });
    const looked = inspect(`mysql://${user}127.0.0.1:${await targets.open(server)}/x`);
    await expect(looked).rejects.toMatchObject({ failure: 'refused' });
  });

  test('is listed and refuses the user: it may not be looked at', async () => {
    const { server } = hostileMysql({ answers: [mysqlError(2, 1045, 'Access denied')] });
    const looked = inspectListed(await targets.open(server), 'u');
    await expect(looked).rejects.toMatchObject({ failure: 'refused' });
  });
});
