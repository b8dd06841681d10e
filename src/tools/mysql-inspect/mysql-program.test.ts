import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  hasMariadb,
  type MariadbProgram,
  startMariadb,
} from '../../../test/support/programs/mariadb-program.js';
import { until } from '../../../test/support/until.js';
import { withMysql } from '../../sources/mysql/mysql-session.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { inspect, inspectListed } from '../../../test/support/sources/inspect-mysql.js';

// Without MariaDB (Debian: apt-get install mariadb-server-core mariadb-client-core), the tests of
// the judgement have to do.
(hasMariadb() ? describe : describe.skip)('a real MariaDB', () => {
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
