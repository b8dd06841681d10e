import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import { closedPort } from '../../support/loopback.js';
import { until } from '../../support/until.js';
import {
  hasPostgres,
  startPostgres,
  type PostgresProgram,
} from '../../support/programs/postgres-program.js';

const PASSWORD = 'hunter2-4711';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-postgres-'));
});
afterAll(() => rm(folder, { recursive: true }));

const diagnose = (port: number, ...args: string[]) => diagnoseAs('consilium', port, ...args);

async function diagnoseAs(user: string, port: number, ...args: string[]) {
  const file = join(folder, 'shop.json');
  const listed = join(folder, 'sources.yaml');
  const endpoint = `postgres://127.0.0.1:${port}/postgres`;
  const nodes = [{ id: 'orders-db', name: 'Orders DB', kind: 'postgres', in: { pg: '*' } }];
  const sources = [{ id: 'pg', kind: 'postgres' }];
  await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', nodes, sources }));
  await writeFile(
    listed,
    `sources:\n  - { id: pg, kind: postgres, endpoint: '${endpoint}', auth: { user: ${user}, password: '\${env:PG_PASSWORD}' } }\n`,
  );
  const variables = { SOURCES_FILE: listed, PG_PASSWORD: PASSWORD, LOG_LEVEL: 'trace' };
  const ended = await startCommandWith(variables, 'src/cli/diagnose.ts', file, '--json', ...args)
    .ended;
  expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
  return (JSON.parse(ended.stdout) as RunRecord).report;
}

test('a PostgreSQL that is not there is the root cause', async () => {
  expect(await diagnose(await closedPort())).toMatchObject({
    verdict: 'root_cause_found',
    root_causes: [{ node: 'orders-db', kind: 'unreachable' }],
  });
});

// Without PostgreSQL (Debian: apt-get install postgresql) there is nothing else to diagnose.
if (hasPostgres())
  describe('a real PostgreSQL', () => {
    let server: PostgresProgram;
    beforeAll(async () => {
      server = await startPostgres('max_connections=12', 'superuser_reserved_connections=3');
      const admin = await server.connect();
      await admin.query(`create role consilium login password '${PASSWORD}' in role pg_monitor`);
      await admin.query('create role app login');
      await admin.query('create role other login');
      await admin.query('create table stock (id int primary key, count int)');
      await admin.query('insert into stock values (1, 5)');
    });
    afterAll(() => server.stop());

    test('that is well is healthy', async () => {
      expect(await diagnose(server.port)).toMatchObject({ verdict: 'healthy', unchecked: [] });
    });

    test('is not checked by a user without pg_monitor, and the next step names it', async () => {
      const hidden = expect.stringContaining('no member of pg_monitor') as unknown;
      expect(await diagnoseAs('other', server.port)).toMatchObject({
        verdict: 'inconclusive',
        unchecked: [{ node: 'orders-db', reason: 'FORBIDDEN', detail: hidden }],
        next_steps: [{ node: 'orders-db', access: 'read', text: hidden }],
      });
    });

    test('whose sessions wait for one that is idle is the root cause, also in a capture', async () => {
      const holder = await server.connect();
      const waiter = await server.connect();
      const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
      const pid = rows[0]?.pid ?? 0;
      await holder.query('begin');
      await holder.query('update stock set count = 4 where id = 1');
      const waits = waiter.query('update stock set count = 3 where id = 1');
      const asker = await server.connect();
      await until('the wait is long enough to be told', async () => {
        const { rows: found } = await asker.query<{ waits: boolean }>(
          `select state_change < now() - interval '6 seconds' as waits from pg_stat_activity where wait_event_type = 'Lock'`,
        );
        return found[0]?.waits === true;
      });
      await asker.end();
      const bundle = join(folder, 'lock-chain');
      const found = {
        verdict: 'root_cause_found',
        root_causes: [{ node: 'orders-db', kind: 'lock' }],
      };
      const psql = (user: string) => `psql postgresql://${user}@127.0.0.1:${server.port}/postgres`;
      const steps = (user: string) => [
        {
          access: 'read',
          command: expect.stringMatching(`^${psql(user)} .* WHERE pid = ${pid}"$`),
        },
        {
          access: 'change',
          command: `${psql('ADMIN')} -c "SELECT pg_terminate_backend(${pid})"`,
        },
      ];
      // This user may not see what the sessions of others do.
      expect(await diagnoseAs('other', server.port)).toMatchObject({
        ...found,
        next_steps: steps('ADMIN'),
      });
      const expected = { ...found, next_steps: steps('consilium') };
      expect(await diagnose(server.port, '--capture', bundle)).toMatchObject(expected);
      await holder.query('rollback');
      await waits;
      for (const client of [holder, waiter]) await client.end();
      const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
      expect((JSON.parse(replay.stdout) as RunRecord).report).toMatchObject(expected);
    });

    test('whose connections are all in use is the root cause, also in a capture of the diagnosis', async () => {
      const clients = [];
      try {
        for (;;) clients.push(await server.connect({ user: 'app', application_name: 'shop' }));
      } catch {
        const bundle = join(folder, 'pool-exhausted');
        const cause = { node: 'orders-db', kind: 'connection-pool-exhausted' };
        expect(await diagnose(server.port, '--capture', bundle)).toMatchObject({
          verdict: 'root_cause_found',
          root_causes: [cause],
        });
        const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
        expect((JSON.parse(replay.stdout) as RunRecord).report).toMatchObject({
          root_causes: [cause],
        });
      }
      await Promise.all(clients.map((client) => client.end()));
    });
  });
