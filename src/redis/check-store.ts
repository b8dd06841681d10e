import { Cluster, type Redis } from 'ioredis';
import { judgeStore, type Judgement } from './judge-store.js';
import { missingRights } from './missing-rights.js';
import { unfinishedRestore } from './restore-keys.js';
import { deniedAccess } from './store-failure.js';

const SETTINGS = ['save', 'appendfsync'];

/**
 * Checks the version and settings of a Redis (in a cluster: of each master), the rights of the
 * user, and whether a restore is incomplete.
 * @param prefix REDIS_PREFIX
 * @throws the error of ioredis if it does not reply
 */
export async function checkStore(redis: Redis | Cluster, prefix: string): Promise<Judgement> {
  const { refused, warned } = await judgeServers(redis);
  const lacking = await missingRights(redis as Redis, prefix);
  const restore = lacking.length > 0 ? undefined : await unfinishedRestore(redis as Redis, prefix);
  return { refused: [...refused, ...lacking, ...(restore === undefined ? [] : [restore])], warned };
}

/** @throws the error of ioredis if a server does not reply */
export async function judgeServers(redis: Redis | Cluster): Promise<Judgement> {
  if (!(redis instanceof Cluster)) return judge(redis);
  // The nodes of a cluster are known after the first reply.
  await redis.ping();
  const judged = await Promise.all(redis.nodes('master').map(judge));
  const all = (kind: keyof Judgement) => [...new Set(judged.flatMap((one) => one[kind]))];
  return { refused: all('refused'), warned: all('warned') };
}

async function judge(redis: Redis): Promise<Judgement> {
  const info = await redis.info().catch((error: unknown) => {
    const denied = deniedAccess(error);
    if (denied?.lacks !== 'right') throw error;
    return denied;
  });
  if (typeof info !== 'string') return { refused: [`${info.fault} ${info.remedy}`], warned: [] };
  return judgeStore({ info: fieldsOf(info), settings: await settingsOf(redis) });
}

/** CONFIG may be forbidden; then there are no settings. */
async function settingsOf(redis: Redis): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const name of SETTINGS) {
    const answer = (await redis.config('GET', name).catch(() => [])) as string[];
    if (answer[1] !== undefined) settings[name] = answer[1];
  }
  return settings;
}

const fieldsOf = (info: string): Record<string, string> =>
  Object.fromEntries(
    info
      .split('\r\n')
      .filter((line) => line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
