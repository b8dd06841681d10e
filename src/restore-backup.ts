import { openBackup } from './local/open-backup.js';
import { judgeServers } from './redis/check-store.js';
import { connect } from './redis/connect.js';
import { databaseOf, serversOf } from './redis/redis-url.js';
import { BackupError, restoreKeys } from './redis/restore-keys.js';
import { storeFault } from './redis/store-fault.js';

const WAIT_MS = 5_000;
/** A single command may write the log of a long run. */
const COMMAND_MS = 120_000;

export interface RestoreResult {
  keys: number;
  /** The servers that it was restored into, without credentials. */
  place: string;
}

/**
 * Restores a backup into the Redis at a URL, which must have no data of this service.
 * @param path as of {@link openBackup}
 * @param prefix REDIS_PREFIX
 * @throws Error that names what cannot be restored, or what cannot be restored into, and why
 */
export async function restoreBackup(
  path: string,
  url: string,
  prefix: string,
): Promise<RestoreResult> {
  const place = serversOf(url)
    .map(({ host, port }) => `${host}:${port}`)
    .join(', ');
  const refuse = (error: unknown, isBackup: boolean): never => {
    const what = isBackup ? `${path} cannot be restored` : `Nothing was restored into ${place}`;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}: ${why}`, { cause: error });
  };
  const fault = await storeFault(url, WAIT_MS);
  if (fault) throw new Error(`REDIS_URL: ${fault.message}`);
  const into = connect(url, COMMAND_MS);
  try {
    const { refused } = await judgeServers(into);
    if (refused.length > 0) refuse(new Error(refused.join(' ')), false);
    const backup = await openBackup(path).catch((error: unknown) => refuse(error, true));
    const from = connect(`${backup.url}/${databaseOf(url)}`, COMMAND_MS);
    try {
      return { keys: await restoreKeys(from, into, prefix, backup.digest), place };
    } catch (error) {
      return refuse(error, error instanceof BackupError);
    } finally {
      from.disconnect();
      await backup.close();
    }
  } finally {
    into.disconnect();
  }
}
