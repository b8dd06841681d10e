import { parseArgs } from 'node:util';
import { loadConfig } from '../config/load-config.js';
import { restoreBackup } from '../restore-backup.js';
import { commandName } from './command-name.js';
import { printError } from './print-error.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Restores a backup into the Redis at REDIS_URL, which must have no data of this service (REDIS_PREFIX). No process of the
service starts there until it has ended. If it is interrupted, repeat it.

Usage: ${commandName('restore')} BACKUP

  BACKUP       a copy of the folder appendonlydir of Redis or of the folder around it, or a snapshot (RDB). It is not changed.
  -h, --help   print this help

The program redis-server, or Docker, must be here to read the backup, with space for a copy in the folder for temporary files. The user
in REDIS_URL needs the right to run RESTORE.

Exit codes: 0 restored, 2 could not do it.
`;

const OPTIONS = { help: { type: 'boolean', short: 'h', default: false } } as const;

async function restore(path: string): Promise<string> {
  const { redisUrl, redisPrefix } = loadConfig(process.env);
  if (redisUrl === undefined)
    throw new Error('REDIS_URL is not set: it names the Redis to restore into.');
  const { keys, place } = await restoreBackup(path, redisUrl, redisPrefix);
  return `Restored ${keys} keys from ${path} into ${place}. Start the service.`;
}

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [path, ...more] = positionals;
  if (values.help) process.stdout.write(USAGE);
  else if (path === undefined || more.length > 0)
    throw new Error(`Name one backup: ${commandName('restore')} BACKUP.`);
  else console.log(await restore(path));
} catch (error) {
  printError(wrongOption(error, OPTIONS));
  process.exitCode = 2;
}
