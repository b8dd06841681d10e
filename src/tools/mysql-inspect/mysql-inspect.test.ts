import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import {
  askSignIn,
  hostileMysql,
  mysqlError,
  mysqlGreeting,
} from '../../../test/support/hostile/hostile-mysql.js';
import { closedPort, contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import {
  hasMariadb,
  type MariadbProgram,
  startMariadb,
} from '../../../test/support/programs/mariadb-program.js';
import { until } from '../../../test/support/until.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { withMysql } from '../../sources/mysql/mysql-session.js';
import type { SourceSet } from '../../sources/source-set.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { mysqlInspect } from './mysql-inspect.js';

async function inspect(endpoint: string, attributes: TopologyNode['attributes'] = {}) {
  const node = nodeOf('mysql', endpoint, { slowMs: 10_000, timeoutMs: 10_000, ...attributes });
  return expectSound(await mysqlInspect.run({ node: 'target' }, contextOf(node)));
}

/** Looks as at a server that SOURCES_FILE lists. */
const inspectListed = (port: number, user: string) => {
  const node = { ...nodeOf('mysql', undefined, { timeoutMs: 10_000 }), in: { db: '*' } };
  const access = { endpoint: `mysql://127.0.0.1:${port}/shop`, user, password: 'hunter2' };
  const sources = { accessOf: () => Promise.resolve(access) } as unknown as SourceSet;
  return mysqlInspect.run({ node: 'target' }, { ...contextOf(node), sources });
};

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

// Without MariaDB (Debian: apt-get install mariadb-server-core mariadb-client-core), the tests of
// the judgement have to do.
if (hasMariadb())
  describe('a real MariaDB', () => {
    let server: MariadbProgram;
    beforeAll(async () => {
      server = await startMariadb(
        ...['--max-connections=10', '--extra-max-connections=1', '--performance-schema=on'],
      );
      const admin = await server.connect();
      for (const statement of [
        `create user consilium identified by 'hunter2'`,
        'grant process, replica monitor on *.* to consilium',
        'create user app',
        'grant all on shop.* to app',
        'create table shop.stock (id int primary key, count int)',
        'insert into shop.stock values (1, 5), (2, 5)',
      ])
        await admin.query(statement);
    });
    afterAll(() => server.stop());
    const asMonitor = () => inspect(`mysql://consilium:hunter2@127.0.0.1:${server.port}`);
    const query = (text: string) =>
      withMysql(
        { host: 'db', port: server.port, database: 'shop', user: 'app' },
        {
          signal: new AbortController().signal,
          timeoutMs: 10_000,
          egress: { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
        },
        (session) => session.query(text),
      );

    test('that is well has no issues, with a dozen queries over one connection', async () => {
      const result = await asMonitor();
      expect(result).toMatchObject({ status: 'ok', issues: [] });
      const { version, queries, connections_most: most } = result.measurements;
      expect([version, most]).toEqual([expect.stringContaining('MariaDB'), 10]);
      expect(queries).toBeLessThanOrEqual(12);
    });

    test.each(['delete from stock', 'create table more (id int)'])(
      'is not changed by %j of a session',
      async (text) => {
        await expect(query(text)).rejects.toMatchObject({ code: '1792' });
      },
    );

    test('ends a statement of a session after four seconds', async () => {
      await expect(query('select sleep(30) from stock')).rejects.toMatchObject({ code: '1969' });
      await expect(query('select id, count from stock where id = 1')).resolves.toEqual([
        { id: 1, count: 5 },
      ]);
    });

    test('with a chain of locks shows the session at its root, without values', async () => {
      const [root, second, third] = await Promise.all(
        Array.from({ length: 3 }, () => server.connect({ user: 'app', database: 'shop' })),
      );
      await root?.query('begin');
      await root?.query('update stock set count = 4711 where id = 1');
      await second?.query('begin');
      await second?.query('update stock set count = 2 where id = 2');
      const waits = [
        second?.query('update stock set count = 4712 where id = 1'),
        third?.query('update stock set count = 4713 where id = 2'),
      ];
      const chain = async () => (await asMonitor()).measurements['lock_chain'];
      await until('both wait', async () => {
        const [first] = ((await chain()) ?? []) as { waiting: unknown[] }[];
        return first?.waiting.length === 2;
      });
      expect(await chain()).toMatchObject([
        {
          application: 'app',
          state: 'idle in transaction',
          waiting: [
            { query: 'update stock set count = ? where id = ?' },
            { query: 'update stock set count = ? where id = ?' },
          ],
        },
      ]);
      expect(JSON.stringify(await asMonitor())).not.toMatch(/471[123]/);
      await root?.query('rollback');
      await waits[0];
      await second?.query('rollback');
      await waits[1];
      for (const client of [root, second, third]) client?.destroy();
    });

    test('with statistics of statements shows those that take most time, without values', async () => {
      const [app, admin] = [
        await server.connect({ user: 'app', database: 'shop' }),
        await server.connect(),
      ];
      for (let i = 0; i < 12; i += 1)
        await app.query('select sleep(0.01), count from stock where id = 4711');
      expect((await asMonitor()).measurements).not.toHaveProperty('statements');
      await admin.query(
        'grant select on performance_schema.events_statements_summary_by_digest to consilium',
      );
      const { status, issues, measurements } = await asMonitor();
      expect([status, issues]).toEqual(['ok', []]);
      expect(measurements['statements']).toContainEqual(
        expect.objectContaining({
          query: expect.stringMatching(
            /^SELECT `sleep` \(\?\) , `count` FROM `stock` WHERE `?ID`? = \?/i,
          ),
          calls: 12,
        }),
      );
      expect(JSON.stringify(measurements)).not.toMatch(/4711|innodb_trx/);
      for (const client of [app, admin]) client.destroy();
    });

    test('without a free connection refuses, which is the finding', async () => {
      const clients = [];
      try {
        for (;;) clients.push(await server.connect({ user: 'app' }));
      } catch {
        expect(await asMonitor()).toMatchObject({
          status: 'failed',
          issues: [{ symptom: 'saturated', kind: 'connection-pool-exhausted' }],
        });
      }
      for (const client of clients) client.destroy();
      await until('connections are free again', () =>
        asMonitor().then(({ status }) => status === 'ok'),
      );
    });

    test('whose user has no more connections of its own is not measured', async () => {
      const admin = await server.connect();
      await admin.query('create user limited with max_user_connections 1');
      admin.destroy();
      const client = await server.connect({ user: 'limited' });
      const looked = inspect(`mysql://limited@127.0.0.1:${server.port}/`);
      await expect(looked).rejects.toThrow('lets the user have no more connections');
      await expect(looked).rejects.toBeInstanceOf(UnmeasuredError);
      client.destroy();
    });

    test('shows a user without privileges less, and says so', async () => {
      const { issues, measurements, hidden } = await inspect(
        `mysql://app@127.0.0.1:${server.port}/shop`,
      );
      expect(hidden).toMatch(/PROCESS: sessions, .*REPLICA MONITOR .*: replication is hidden\.$/);
      expect(issues).toMatchObject([{ severity: 'info', detail: hidden }]);
      expect(measurements).toMatchObject({ clients: [] });
    });

    test('lets an administrator in without a password: an endpoint without a user is none', async () => {
      await expect(inspect(`mysql://root@127.0.0.1:${server.port}/shop`)).resolves.toMatchObject({
        status: 'ok',
      });
      const looked = inspect(`mysql://127.0.0.1:${server.port}/shop`);
      await expect(looked).rejects.toMatchObject({ failure: 'refused' });
    });

    test('is reached with the credential of the listed server that the node selects', async () => {
      expect(await inspectListed(server.port, 'consilium')).toMatchObject({
        status: 'ok',
        issues: [],
      });
    });
  });
