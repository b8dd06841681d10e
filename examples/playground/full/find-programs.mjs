import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';
/** The program itself: that of the PATH changes the user. */
const RABBITMQ = '/usr/lib/rabbitmq/bin/rabbitmq-server';

const onPath = (program) => {
  const { stdout } = spawnSync('which', [program], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
};

/** The folder with `initdb` and `postgres`: of the newest of Debian's packages, or of the PATH. */
function postgresFolder() {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).toSorted() : [];
  const folders = versions.reverse().map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
  const known = onPath('initdb');
  return [...folders, ...(known ? [join(known, '..')] : [])].find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/** PostgreSQL and RabbitMQ do not run as root: their packages bring users for them. */
function canChangeTo(user) {
  if (process.getuid?.() !== 0) return true;
  return onPath('setpriv') !== undefined && spawnSync('id', ['-u', user]).status === 0;
}

/**
 * The programs of the full stack.
 * @returns {Record<'postgres' | 'rabbitmq' | 'prometheus' | 'git', {path?: string, missing?:
 *   string}>} `missing` says why one cannot be started
 */
export function findPrograms() {
  const found = (path, install) => (path ? { path } : { missing: `not found (${install})` });
  const prometheus = ['promtool', 'prometheus-alertmanager'].every(onPath) && onPath('prometheus');
  const epmd = onPath('epmd') && existsSync(RABBITMQ) ? RABBITMQ : undefined;
  return {
    postgres: found(
      canChangeTo('postgres') ? postgresFolder() : undefined,
      'Debian: apt-get install postgresql',
    ),
    rabbitmq: found(
      canChangeTo('rabbitmq') ? epmd : undefined,
      'Debian: apt-get install rabbitmq-server',
    ),
    prometheus: found(
      prometheus || undefined,
      'Debian: apt-get install prometheus prometheus-alertmanager',
    ),
    git: found(onPath('git'), 'Debian: apt-get install git'),
  };
}
