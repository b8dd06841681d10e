import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import { closedPort } from '../../support/loopback.js';
import {
  hasMariadb,
  type MariadbProgram,
  startMariadb,
} from '../../support/programs/mariadb-program.js';

const PASSWORD = 'hunter2-4711';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-mysql-'));
});
afterAll(() => rm(folder, { recursive: true }));

const diagnose = (port: number, ...args: string[]) => diagnoseAs('consilium', port, ...args);

async function diagnoseAs(user: string, port: number, ...args: string[]) {
  const file = join(folder, 'shop.json');
  const listed = join(folder, 'sources.yaml');
  const nodes = [{ id: 'orders-db', name: 'Orders DB', kind: 'mysql', in: { db: 'shop' } }];
  const sources = [{ id: 'db', kind: 'mysql' }];
  await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', nodes, sources }));
  await writeFile(
    listed,
    `sources:\n  - { id: db, kind: mysql, endpoint: 'mysql://127.0.0.1:${port}', auth: { user: ${user}, password: '\${env:DB_PASSWORD}' } }\n`,
  );
  const variables = { SOURCES_FILE: listed, DB_PASSWORD: PASSWORD, LOG_LEVEL: 'trace' };
  const ended = await startCommandWith(variables, 'src/cli/diagnose.ts', file, '--json', ...args)
    .ended;
  expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
  return (JSON.parse(ended.stdout) as RunRecord).report;
}

test('a MySQL that is not there is the root cause', async () => {
  expect(await diagnose(await closedPort())).toMatchObject({
    verdict: 'root_cause_found',
    root_causes: [{ node: 'orders-db', kind: 'unreachable' }],
  });
});

// Without MariaDB (Debian: apt-get install mariadb-server-core mariadb-client-core) there is
// nothing else to diagnose.
if (hasMariadb())
  describe('a real MariaDB', () => {
    let server: MariadbProgram;
    beforeAll(async () => {
      server = await startMariadb('--max-connections=8');
      const admin = await server.connect();
      await admin.query(`create user consilium identified by '${PASSWORD}'`);
      await admin.query('grant process, replica monitor on *.* to consilium');
      await admin.query(`create user other identified by '${PASSWORD}'`);
      await admin.query('create user app');
      admin.destroy();
    });
    afterAll(() => server.stop());

    test('that is well is healthy', async () => {
      expect(await diagnose(server.port)).toMatchObject({ verdict: 'healthy', unchecked: [] });
    });

    test('is not checked by a user without privileges, and the next step names them', async () => {
      const hidden = expect.stringMatching(/PROCESS.*REPLICA MONITOR/) as unknown;
      expect(await diagnoseAs('other', server.port)).toMatchObject({
        verdict: 'inconclusive',
        unchecked: [{ node: 'orders-db', reason: 'FORBIDDEN', detail: hidden }],
        next_steps: [{ node: 'orders-db', access: 'read', text: hidden }],
      });
    });

    test('whose connections are all in use is the root cause, also in a capture of the diagnosis', async () => {
      const clients = [];
      try {
        for (;;) clients.push(await server.connect({ user: 'app' }));
      } catch {
        const bundle = join(folder, 'pool-exhausted');
        const found = {
          verdict: 'root_cause_found',
          root_causes: [{ node: 'orders-db', kind: 'connection-pool-exhausted' }],
        };
        expect(await diagnose(server.port, '--capture', bundle)).toMatchObject(found);
        const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
        expect((JSON.parse(replay.stdout) as RunRecord).report).toMatchObject(found);
      }
      for (const client of clients) client.destroy();
    });
  });
