import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import { freePort } from './prometheus-program.js';
import { until } from '../until.js';

const DEBIAN = '/usr/lib/postgresql';

/**
 * The folder with `initdb` and `postgres`: of the PATH, or of Debian's packages; undefined where
 * none is installed.
 */
function programs(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted() : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')).toReversed()];
  const found = spawnSync('which', ['initdb'], { encoding: 'utf8' }).stdout.trim();
  return [...(found === '' ? [] : [join(found, '..')]), ...folders].find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/** PostgreSQL refuses to run as root: Debian's package brings a user for it. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) =>
    Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  const uid = idOf('-u');
  const gid = idOf('-g');
  return uid > 0 ? { uid, gid } : undefined;
}

/** Whether a PostgreSQL can be started (Debian: `apt-get install postgresql`). */
export const hasPostgres = (): boolean =>
  programs() !== undefined && (process.getuid?.() !== 0 || owner() !== undefined);

export interface PostgresProgram {
  port: number;
  /** A connection of a superuser, or of another user; closed with the server. */
  connect(more?: ClientConfig): Promise<Client>;
  stop(): Promise<void>;
}

/** A real PostgreSQL with an empty database that trusts everyone on loopback. */
export async function startPostgres(...settings: string[]): Promise<PostgresProgram> {
  const bin = programs() ?? '';
  const as = owner();
  const data = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (as) chownSync(data, as.uid, as.gid);
  const flags = ['-A', 'trust', '-U', 'postgres', '--no-sync', '--no-locale', '-E', 'UTF8'];
  execFileSync(join(bin, 'initdb'), ['-D', data, ...flags], { ...as, stdio: 'ignore', cwd: data });
  const port = await freePort();
  const own = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`];
  const options = [...own, 'fsync=off', ...settings].flatMap((setting) => ['-c', setting]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...options], {
    ...as,
    stdio: 'ignore',
    cwd: data,
  });
  const clients: Client[] = [];
  const connect = async (more: ClientConfig = {}): Promise<Client> => {
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      database: 'postgres',
      ...more,
    });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  await until('PostgreSQL is ready', () =>
    connect().then(
      () => true,
      () => false,
    ),
  );
  return {
    port,
    connect,
    stop: async () => {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      child.kill('SIGQUIT');
      await once(child, 'exit');
      rmSync(data, { recursive: true });
    },
  };
}
