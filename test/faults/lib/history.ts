import type { Redis } from 'ioredis';
import type { RunSpec } from '../../../src/domain/run.js';

type Dumped =
  | { type: 'string'; value: string }
  | { type: 'hash'; value: Record<string, string> }
  | { type: 'list'; value: string[] }
  | { type: 'set'; value: string[] }
  | { type: 'zset'; value: string[] }
  | { type: 'stream'; value: [string, string[]][] };

/** All that Redis had of a run at some moment, as a fixture. */
export interface History {
  /** Of this format. */
  version: 1;
  /** What it shows. */
  about: string;
  runId: string;
  topologyId: number;
  /** Whose it is, where it is a turn of a conversation. */
  caller?: string;
  /** Gates at which its scripted tools and models wait: a test opens them. */
  gates: string[];
  /** Scripted tools whose outcome is in the log: they must not be called again. */
  done: string[];
  /** By what follows on `PREFIX:{RUN_ID}:`. */
  keys: Record<string, Dumped>;
}

const TYPES = ['string', 'hash', 'list', 'set', 'zset', 'stream'] as const;

export async function dumpRun(
  redis: Redis,
  prefix: string,
  runId: string,
): Promise<History['keys']> {
  const begin = `${prefix}:{${runId}}:`;
  const found: string[] = [];
  for await (const keys of redis.scanStream({ match: `${begin}*`, count: 1_000 }) as AsyncIterable<
    string[]
  >)
    found.push(...keys);
  const dumped: History['keys'] = {};
  for (const key of [...new Set(found)].toSorted())
    dumped[key.slice(begin.length)] = await dump(redis, key);
  return dumped;
}

async function dump(redis: Redis, key: string): Promise<Dumped> {
  const found = await redis.type(key);
  const type = TYPES.find((known) => known === found);
  switch (type) {
    case 'string':
      return { type, value: (await redis.get(key)) ?? '' };
    case 'hash':
      return { type, value: await redis.hgetall(key) };
    case 'list':
      return { type, value: await redis.lrange(key, 0, -1) };
    case 'set':
      return { type, value: await redis.smembers(key) };
    case 'zset':
      return { type, value: await redis.zrange(key, '0', '-1', 'WITHSCORES') };
    case 'stream':
      return { type, value: await redis.xrange(key, '-', '+') };
    case undefined:
      throw new Error(`${key} is a ${found}: no fixture has such a key yet`);
  }
}

/**
 * Puts a run back, as accepted now: its deadline would have passed. Its index entry is written with
 * it, its jobs are not, as after the loss of the queues.
 */
export async function restoreRun(
  redis: Redis,
  prefix: string,
  { runId, topologyId, keys }: History,
): Promise<void> {
  const now = Date.now();
  for (const [suffix, { type, value }] of Object.entries(keys)) {
    const key = `${prefix}:{${runId}}:${suffix}`;
    if (type === 'string') await redis.set(key, value);
    else if (type === 'hash') await redis.hset(key, value);
    else if (type === 'list') await redis.rpush(key, ...value);
    else if (type === 'set') await redis.sadd(key, ...value);
    else if (type === 'zset')
      for (let i = 0; i < value.length; i += 2)
        await redis.zadd(key, Number(value[i + 1]), value[i] ?? '');
    else for (const [id, fields] of value) await redis.xadd(key, id, ...fields);
  }
  await redis.hset(`${prefix}:{${runId}}:state`, 'created', String(now));
  const { chat, owner } = JSON.parse(
    keys['state']?.type === 'hash' ? (keys['state'].value['spec'] ?? '{}') : '{}',
  ) as Partial<RunSpec>;
  // The conversation that it goes on in lives as long as it does.
  if (chat?.parent) {
    const before = JSON.stringify({
      at: now - 1_000,
      parent: null,
      runId: 'long-gone',
      question: 'What was before?',
    });
    const fields = {
      owner,
      title: 'Before',
      created: now,
      updated: now - 1_000,
      head: chat.parent,
      [`x:${chat.parent}`]: before,
    };
    await redis.hset(`${prefix}:{conversation:${chat.sessionId}}`, fields);
  }
  const index = `${prefix}:{index}`;
  await redis.zadd(`${index}:runs`, now, runId);
  await redis.zadd(`${index}:topology:${topologyId}`, now, runId);
  await redis.zadd(`${index}:open`, now, `${runId}:${topologyId}`);
}

/** The frames of its log, as clients get them. */
export function framesOf({ keys }: History): string {
  const log = keys['log'];
  if (log?.type !== 'stream') throw new Error('this history has no log');
  return log.value.map(([, [, frame = '']]) => frame).join('');
}
