import { Cluster, type Redis } from 'ioredis';
import { processesKey, queuePrefix, restoreKey } from './keys.js';

/** Number of keys that are requested at once. */
const PAGE = 200;

const patternsOf = (prefix: string) => [`${prefix}:*`, `${queuePrefix(prefix)}:*`];

/** Names of all keys of a service, in pages; a name may occur twice. */
async function* keysOf(redis: Redis | Cluster, prefix: string): AsyncGenerator<string[]> {
  if (redis instanceof Cluster) await redis.ping();
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const server of servers)
    for (const pattern of patternsOf(prefix))
      for (let cursor: string | undefined = '0'; cursor !== undefined;) {
        const [next, keys]: [string, string[]] = await server.scan(
          ...([cursor, 'MATCH', pattern, 'COUNT', PAGE] as const),
        );
        if (keys.length > 0) yield keys;
        cursor = next === '0' ? undefined : next;
      }
}

async function hasKeys(redis: Redis, prefix: string): Promise<boolean> {
  for await (const keys of keysOf(redis, prefix)) if (keys.length > 0) return true;
  return false;
}

/**
 * Copies all keys of a service from a Redis that nothing else uses into one that has none of them.
 * A mark is set first and removed last: while it exists, no process of the service starts, and only
 * the same backup can be restored again, from its beginning.
 * @param digest distinguishes the backup from others
 * @returns the number of keys
 * @throws BackupError if the backup has none, or not all; Error if it cannot be restored into this
 *   Redis
 */
export async function restoreKeys(
  from: Redis,
  into: Redis,
  prefix: string,
  digest: string,
): Promise<number> {
  if (!(await hasKeys(from, prefix)))
    throw new BackupError(`it has no key with the prefix ${prefix}`);
  const mark = restoreKey(prefix);
  if ((await from.exists(mark)) === 1)
    throw new BackupError('it was made while a restore had not ended, and lacks keys');
  const begun = await into.get(mark);
  if (begun === null && (await hasKeys(into, prefix)))
    throw new Error(`it has data of this service already (prefix ${prefix}); ${EMPTY}`);
  if (begun !== null && begun !== digest)
    throw new Error(`the restore of another backup was not finished; repeat that one, or ${EMPTY}`);
  if (begun === null && (await into.set(mark, digest, 'NX')) === null)
    throw new Error('another restore has begun at the same time');
  const restored = new Set<string>();
  for await (const keys of keysOf(from, prefix)) {
    if ((await into.exists(processesKey(prefix))) === 1)
      throw new Error(`a process of the service uses it; stop all, then ${EMPTY}`);
    const wanted = keys.filter((key) => key !== processesKey(prefix) && !restored.has(key));
    await Promise.all(
      wanted.map(async (key) => {
        if (await copy(from, into, key)) restored.add(key);
      }),
    );
  }
  await into.del(mark);
  return restored.size;
}

const EMPTY = 'use a Redis, a database or a REDIS_PREFIX that is empty';

/** @returns whether the key was still there */
async function copy(from: Redis, into: Redis, key: string): Promise<boolean> {
  const [payload, expiresAt] = await Promise.all([from.dumpBuffer(key), from.pexpiretime(key)]);
  if (payload === null) return false;
  await into.restore(key, Math.max(0, expiresAt), payload, 'REPLACE', 'ABSTTL');
  return true;
}

/** The remedy for an incomplete restore; undefined if there is none. */
export async function unfinishedRestore(redis: Redis, prefix: string): Promise<string | undefined> {
  return (await redis.get(restoreKey(prefix))) === null ? undefined : UNFINISHED;
}

const UNFINISHED =
  'A backup is being restored into this Redis. Start the service when `consilium restore` has ended; if it was interrupted, repeat it.';

/** A fault of the backup, not of the target Redis. */
export class BackupError extends Error {}
