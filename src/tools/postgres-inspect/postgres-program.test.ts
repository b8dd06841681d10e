import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inspectPostgres as inspect } from '../../../test/support/sources/inspect-postgres.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import {
  hasPostgres,
  startPostgres,
  type PostgresProgram,
} from '../../../test/support/programs/postgres-program.js';
import { until } from '../../../test/support/until.js';
import type { SourceSet } from '../../sources/source-set.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { postgresInspect } from './postgres-inspect.js';

// Without PostgreSQL (Debian: apt-get install postgresql), the tests of the judgement have to do.
(hasPostgres() ? describe : describe.skip)('a real PostgreSQL', () => {
  let server: PostgresProgram;
  beforeAll(async () => {
    server = await startPostgres(
      ...['max_connections=12', 'superuser_reserved_connections=3'],
      'shared_preload_libraries=pg_stat_statements',
    );
    const admin = await server.connect();
    await admin.query(`create role monitor login password 'hunter2' in role pg_monitor`);
    await admin.query('create role app login');
    await admin.query('create role other login');
    await admin.query('create table stock (id int primary key, count int)');
    await admin.query('insert into stock values (1, 5), (2, 5)');
    await admin.query('grant all on stock to app');
  });
  afterAll(() => server.stop());
  const asMonitor = () => inspect(`postgres://monitor:hunter2@127.0.0.1:${server.port}/postgres`);

  test('that is well has no issues, with 15 queries over one connection', async () => {
    const result = await asMonitor();
    expect(result).toMatchObject({ status: 'ok', issues: [] });
    expect(result.measurements).toMatchObject({ connections_most: 9, queries: 15 });
  });

  test('whose autovacuum is off says so', async () => {
    const admin = await server.connect();
    const set = async (value: string) => {
      await admin.query(`alter system set autovacuum = ${value}`);
      await admin.query('select pg_reload_conf()');
    };
    await set('off');
    const titles = async () => (await asMonitor()).issues.map(({ title }) => title);
    await until('it is off', async () => (await titles()).includes('autovacuum is off'));
    await set('on');
    await until('it is on', async () => (await titles()).length === 0);
    await admin.end();
  });

  test('that does not record what sessions do says so', async () => {
    const admin = await server.connect();
    const set = async (value: string) => {
      await admin.query(`alter system set track_activities = ${value}`);
      await admin.query('select pg_reload_conf()');
    };
    await set('off');
    await until('it is off', async () => (await asMonitor()).hidden !== undefined);
    expect((await asMonitor()).hidden).toContain('track_activities is off');
    await set('on');
    await until('it is on', async () => (await asMonitor()).hidden === undefined);
    await admin.end();
  });

  test('whose role has reached a limit of its own says so', async () => {
    const admin = await server.connect();
    await admin.query('alter role app connection limit 1');
    const client = await server.connect({ user: 'app' });
    expect((await asMonitor()).issues).toMatchObject([
      {
        severity: 'critical',
        kind: 'connection-pool-exhausted',
        title: 'role app uses 1 of its 1 connections',
      },
    ]);
    await client.end();
    await admin.query('alter role app connection limit -1');
    await admin.end();
  });

  test('cannot be written to by the tool', async () => {
    const { withPostgres } = await import('../../sources/postgres/postgres-session.js');
    const egress = {
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]),
    };
    const login = { host: 'db', port: server.port, database: 'postgres', user: 'app' };
    const given = { egress, signal: new AbortController().signal, timeoutMs: 5_000 };
    const write = withPostgres(login, given, (session) => session.query('delete from stock'));
    await expect(write).rejects.toMatchObject({ code: '25006' });
  });

  test('with a chain of locks shows the session at its root, without values', async () => {
    const [root, second, third] = await Promise.all(
      ['checkout', 'cart', 'report'].map((name) =>
        server.connect({ user: 'app', application_name: name }),
      ),
    );
    await root?.query('begin');
    await root?.query(`update stock set count = 4711 where id = 1`);
    await second?.query('begin');
    await second?.query('update stock set count = 2 where id = 2');
    const waits = [
      second?.query('update stock set count = 3 where id = 1'),
      third?.query('update stock set count = 4 where id = 2'),
    ];
    const asOther = () => inspect(`postgres://other@127.0.0.1:${server.port}/postgres`);
    for (const look of [asMonitor, asOther])
      await until('both wait', async () => {
        const { measurements } = await look();
        const [chain] = (measurements['lock_chain'] ?? []) as {
          waiting: { waited_s: number }[];
        }[];
        return chain?.waiting.length === 2 && chain.waiting.every((each) => each.waited_s > 0);
      });
    const result = await asMonitor();
    expect(result.measurements['lock_chain']).toMatchObject([
      { application: 'checkout', state: 'idle in transaction' },
    ]);
    expect(JSON.stringify(result)).not.toContain('4711');
    await root?.query('rollback');
    await waits[0];
    await second?.query('rollback');
    await waits[1];
    for (const client of [root, second, third]) await client?.end();
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
    await Promise.all(clients.map((client) => client.end()));
  });

  test('whose user has no more connections is not measured; a database without one is the finding', async () => {
    const admin = await server.connect();
    await admin.query('create role limited login connection limit 0');
    const looked = inspect(`postgres://limited@127.0.0.1:${server.port}/postgres`);
    await expect(looked).rejects.toThrow('lets the user have no more connections');
    await expect(looked).rejects.toBeInstanceOf(UnmeasuredError);
    await admin.query('create database narrow connection limit 0');
    const result = await inspect(`postgres://monitor:hunter2@127.0.0.1:${server.port}/narrow`);
    expect(result.issues).toMatchObject([{ kind: 'connection-pool-exhausted' }]);
  });

  test('with statistics of statements shows those that take most time, without values', async () => {
    const admin = await server.connect();
    await admin.query('create schema "Odd Name"');
    await admin.query('grant usage on schema "Odd Name" to public');
    await admin.query('create extension pg_stat_statements schema "Odd Name"');
    await admin.query('select "Odd Name".pg_stat_statements_reset()');
    await admin.query(`create role later login password 'hunter4711'`);
    for (let i = 0; i < 12; i += 1)
      await admin.query('select pg_sleep(0.02), count from stock where id < 4711');
    const address = `postgres://monitor:hunter2@127.0.0.1:${server.port}/postgres`;
    const first = await inspect(address);
    const slow = await inspect(address, { slowMs: 1 });
    expect(first).toMatchObject({ status: 'ok', issues: [], measurements: { queries: 16 } });
    expect(first.measurements['statements']).toContainEqual(
      expect.objectContaining({
        query: 'select pg_sleep(?), count from stock where id < ?',
        calls: 12,
      }),
    );
    expect(JSON.stringify(first)).not.toMatch(/4711|pg_stat_activity/);
    expect(slow.issues).toContainEqual(
      expect.objectContaining({
        severity: 'info',
        detail: expect.stringMatching(
          /^select pg_sleep\(\?\).*: 12 calls, \d+ ms each, /,
        ) as unknown,
      }),
    );
    const other = await inspect(`postgres://other@127.0.0.1:${server.port}/postgres`);
    expect(other.measurements).not.toHaveProperty('statements');
    await admin.query('drop extension pg_stat_statements');
  });

  test('with an invalid index says so', async () => {
    const admin = await server.connect();
    await admin.query('create index stock_count on stock (count)');
    await admin.query(
      `update pg_index set indisvalid = false where indexrelid = 'stock_count'::regclass`,
    );
    expect((await asMonitor()).issues).toMatchObject([{ title: 'index stock_count is invalid' }]);
    await admin.query('drop index stock_count');
  });

  test.each([
    ['nope', 'has no such database (3D000)'],
    [
      'x?sslmode=require',
      'does not offer TLS, although its setting requires it (ERR_TLS_NOT_OFFERED)',
    ],
  ])('says that the setting is wrong: %s', async (path, title) => {
    const { issues } = await inspect(`postgres://monitor@127.0.0.1:${server.port}/${path}`);
    expect(issues).toMatchObject([{ symptom: 'invalid', kind: 'config', title }]);
  });

  test('shows a user without pg_monitor less, and says so', async () => {
    const result = await inspect(`postgres://app@127.0.0.1:${server.port}/postgres`);
    const hidden = expect.stringContaining('pg_monitor') as unknown;
    expect(result).toMatchObject({ issues: [{ severity: 'info', detail: hidden }], hidden });
    expect(result.measurements).not.toHaveProperty('idle_in_transaction');
    const { measurements } = await asMonitor();
    expect(result.measurements['connections_used']).toBe(measurements['connections_used']);
  });

  test('wants a credential that an endpoint does not have: it may not be looked at', async () => {
    const admin = await server.connect();
    await admin.query(`create role locked login password 'hunter2'`);
    const { rows } = await admin.query<{ hba_file: string }>('show hba_file');
    const lines = `('host all locked all scram-sha-256'), ('host all all all trust')`;
    await admin.query(`copy (values ${lines}) to '${rows[0]?.hba_file}'`);
    await admin.query('select pg_reload_conf()');
    const refused = (user: string) =>
      inspect(`postgres://${user}127.0.0.1:${server.port}/postgres`).then(
        () => undefined,
        (error: Error) => error,
      );
    await until('SCRAM is wanted', async () => (await refused('locked@')) !== undefined);
    for (const [user, code] of [
      ['locked@', 'NO_PASSWORD'],
      ['', '28000'],
    ] as const)
      expect(await refused(user)).toMatchObject({
        failure: 'refused',
        message: `127.0.0.1:${server.port} wants a credential, and its endpoint in the topology has no password (${code})`,
      });
    const own = await inspect(`postgres://locked:wrong@127.0.0.1:${server.port}/postgres`);
    expect(own.issues).toMatchObject([{ kind: 'auth' }]);
  });

  test('is reached with the credential of the listed server that the node selects', async () => {
    const node = { ...nodeOf('postgres'), in: { pg: 'postgres' } };
    const access = {
      endpoint: `postgres://127.0.0.1:${server.port}/x`,
      selector: 'postgres',
      user: 'monitor',
      password: 'hunter2',
    };
    const sources = { accessOf: () => Promise.resolve(access) } as unknown as SourceSet;
    const result = await postgresInspect.run({ node: 'target' }, { ...contextOf(node), sources });
    expect(result).toMatchObject({ status: 'ok' });
  });
});
