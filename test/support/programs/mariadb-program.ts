import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise';
import { freePort } from './prometheus-program.js';
import { until } from '../until.js';

const PROGRAMS = ['mariadbd', 'mariadb-install-db'];

/**
 * A user that is not root: the server refuses to run as root. Any will do, `nobody` is on every
 * machine.
 */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) =>
    Number(spawnSync('id', [option, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Debian has `mariadbd` in a folder that is on the PATH of root only. */
const env = { PATH: `${process.env['PATH']}:/usr/sbin` };

/** Whether a MariaDB can be started (Debian: `apt-get install mariadb-server-core`). */
export const hasMariadb = (): boolean => spawnSync('which', PROGRAMS, { env }).status === 0;

export interface MariadbProgram {
  port: number;
  /** A connection of root, or of another user; closed with the server. */
  connect(more?: ConnectionOptions): Promise<Connection>;
  stop(): Promise<void>;
}

/** A real MariaDB with an empty database `shop`. `root` has no password. */
export async function startMariadb(...settings: string[]): Promise<MariadbProgram> {
  const as = owner();
  const data = mkdtempSync(join(tmpdir(), 'mariadb-'));
  if (as) chownSync(data, as.uid, as.gid);
  const options = { ...as, env, cwd: data, stdio: 'ignore' } as const;
  const own = ['--no-defaults', `--datadir=${data}`];
  const small = ['--innodb-buffer-pool-size=8M', '--innodb-log-file-size=4M'];
  const install = [...own, ...small, '--auth-root-authentication-method=normal', '--skip-test-db'];
  execFileSync('mariadb-install-db', install, options);
  const port = await freePort();
  const child = spawn(
    'mariadbd',
    [
      ...own,
      ...small,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(data, 'socket')}`,
      `--pid-file=${join(data, 'pid')}`,
      '--innodb-flush-log-at-trx-commit=0',
      ...settings,
    ],
    options,
  );
  const connections: Connection[] = [];
  const connect = async (more: ConnectionOptions = {}): Promise<Connection> => {
    const connection = await createConnection({ host: '127.0.0.1', port, user: 'root', ...more });
    connections.push(connection);
    return connection;
  };
  await until('MariaDB is ready', () =>
    connect().then(
      (connection) => connection.query('create database shop').then(() => true),
      () => false,
    ),
  );
  return {
    port,
    connect,
    stop: async () => {
      for (const connection of connections) connection.destroy();
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(data, { recursive: true });
    },
  };
}
