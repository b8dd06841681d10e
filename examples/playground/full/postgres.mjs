import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { fromBuild } from '../from-build.mjs';
import { asUser, folderOf, startProgram } from './start-program.mjs';

const USER = 'postgres';

/**
 * A real PostgreSQL with the table of orders, for at most 20 clients. `shop` is the user of the
 * services, `consilium` that of the diagnosis.
 *
 * @param {string} programs folder of `initdb` and `postgres`
 * @param {string} parent folder of its data
 */
export async function startPostgres(programs, parent) {
  const folder = folderOf(parent, 'postgres', USER);
  const data = join(folder, 'data');
  const [initdb, ...flags] = [...asUser(USER), join(programs, 'initdb'), '-D', data];
  const more = ['-A', 'trust', '-U', USER, '--no-sync', '--no-locale', '-E', 'UTF8'];
  execFileSync(initdb, [...flags, ...more], { stdio: 'ignore', cwd: '/' });
  const { freePort } = await fromBuild('local/loopback');
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'max_connections=20',
    'superuser_reserved_connections=3',
  ];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const ask = async (text) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: USER, database: USER });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  };
  const isReady = () =>
    ask('select 1').then(
      () => true,
      () => false,
    );
  const command = [join(programs, 'postgres'), '-D', data, ...options];
  const { stop } = await startProgram({
    name: 'postgres',
    command,
    folder: parent,
    user: USER,
    isReady,
  });
  await ask(`create role shop login; create role consilium login in role pg_monitor;
    create table orders (id bigserial primary key, item text not null, price int not null);
    grant all on orders, orders_id_seq to shop; alter table orders owner to shop`);
  const url = (user) => `postgres://${user}@127.0.0.1:${port}/postgres`;
  return { port, stop, ask, url: url('shop'), monitorUrl: url('consilium') };
}
