import type { ConnectionOptions } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { writeOnceATick } from './write-once-a-tick.js';

const FORM =
  /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;

interface Credentials {
  username?: string;
  password?: string;
  tls?: object;
}

interface Sentinels extends Credentials {
  sentinels: { host: string; port: number }[];
  name: string;
  db: number;
  sentinelPassword?: string;
  sentinelTLS?: object;
  enableTLSForSentinelMode?: boolean;
}

/** What a Redis URL names. One server is left to ioredis to read. */
type Target =
  | { kind: 'server'; url: string }
  | { kind: 'sentinels'; options: Sentinels }
  | { kind: 'cluster'; nodes: { host: string; port: number }[]; options: Credentials };

/** Whether the URL names a cluster: then messages are published within the shard of their run. */
export const isCluster = (url: string | undefined): boolean =>
  FORM.exec(url ?? '')?.[2] === 'cluster';

/**
 * Reads `redis://…`, `rediss://…` (TLS), `redis+cluster://USER:PASSWORD@HOST:PORT,HOST:PORT` (some of the nodes; the others are
 * found through them) and `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/MASTER/DB?sentinelPassword=…` (the hosts are
 * sentinels, user and password those of the servers), the last two also as `rediss+…`.
 * @throws Error when a part is missing. The message has no part of the URL in it
 */
function readUrl(url: string): Target {
  const [, scheme = '', topology, credentials, hosts = '', path = '', query] = FORM.exec(url) ?? [];
  if (topology === undefined) return { kind: 'server', url };
  const [username, ...password] = (credentials ?? '').split(':').map(decodeURIComponent);
  const options: Credentials = {
    ...(username && { username }),
    ...(password.length > 0 && { password: password.join(':') }),
    ...(scheme === 'rediss' && { tls: {} }),
  };
  const nodes = hosts.split(',').map((address) => {
    const [, v6, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(address) ?? [];
    const host = v6 ?? plain;
    if (!host)
      throw new Error('the Redis URL has a host that cannot be read: HOST:PORT,HOST:PORT…');
    return { host, port: Number(port ?? (topology === 'sentinel' ? 26_379 : 6_379)) };
  });
  if (topology === 'cluster') return { kind: 'cluster', nodes, options };
  const [name, db = '0'] = path.split('/').map(decodeURIComponent);
  if (!name)
    throw new Error('the Redis URL names no master: redis+sentinel://HOST:PORT,HOST:PORT/MASTER');
  const sentinelPassword = new URLSearchParams(query).get('sentinelPassword');
  return {
    kind: 'sentinels',
    options: {
      ...options,
      sentinels: nodes,
      name,
      db: Number(db),
      ...(sentinelPassword !== null && { sentinelPassword }),
      ...(scheme === 'rediss' && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    },
  };
}

interface Shared {
  commandTimeout?: number;
  socketTimeout?: number;
  maxRetriesPerRequest: null;
  autoResubscribe?: boolean;
}

const retryStrategy = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000);

/**
 * A connection that keeps trying to come back. Of a cluster it is a `Cluster`, which has the same commands; what is told
 * apart between the two is said where it is done (`isCluster`).
 * @param commandTimeout ms after which a command that had no answer fails instead of hanging; the caller repeats it if that is safe
 *   (the append script answers a repeated step with what it recorded). A connection that is silent for so long though it owes
 *   an answer is given up for a new one: it may be half open. Undefined for connections that block or subscribe.
 */
export function connect(
  url: string | undefined,
  commandTimeout?: number,
  more: { autoResubscribe?: boolean } = {},
): Redis {
  if (url === undefined)
    throw new Error('no Redis URL: start a private Redis first, or set REDIS_URL');
  const target = readUrl(url);
  const options = {
    ...(commandTimeout === undefined ? {} : { commandTimeout, socketTimeout: commandTimeout }),
    maxRetriesPerRequest: null,
    ...more,
  };
  const redis = open(target, options);
  // Without a listener ioredis prints each failed reconnect; readiness tells of it instead.
  redis.on('error', () => undefined);
  writeOnceATick(redis);
  return redis;
}

function open(target: Target, options: Shared): Redis {
  switch (target.kind) {
    case 'server':
      return new Redis(target.url, { ...options, retryStrategy });
    case 'sentinels':
      return new Redis({
        ...target.options,
        ...options,
        retryStrategy,
        sentinelRetryStrategy: retryStrategy,
      });
    case 'cluster':
      return new Cluster(target.nodes, {
        redisOptions: { ...target.options, ...options },
        clusterRetryStrategy: retryStrategy,
        shardedSubscribers: true,
        // Certificates name hosts; a cluster tells addresses. With TLS, announce host names (cluster-announce-hostname).
        ...(target.options.tls && {
          dnsLookup: (address: string, found: (error: null, address: string) => void) =>
            found(null, address),
        }),
      }) as unknown as Redis;
  }
}

/**
 * What a BullMQ worker makes its connections from. It closes those that it makes; `release` is for what was made here.
 * @param socketTimeout ms after which a connection that owes an answer is given up for a new one
 */
export function workerConnection(
  url: string | undefined,
  socketTimeout: number,
): { connection: ConnectionOptions; release: () => void } {
  if (url === undefined)
    throw new Error('no Redis URL: start a private Redis first, or set REDIS_URL');
  const target = readUrl(url);
  // BullMQ's own retry strategy waits up to 20 s after Redis has come back.
  const options = { maxRetriesPerRequest: null, socketTimeout, retryStrategy };
  switch (target.kind) {
    case 'server':
      return { connection: { url: target.url, ...options }, release: () => undefined };
    case 'sentinels':
      return {
        connection: { ...target.options, ...options, sentinelRetryStrategy: retryStrategy },
        release: () => undefined,
      };
    case 'cluster': {
      const connection = open(target, { maxRetriesPerRequest: null, socketTimeout });
      connection.on('error', () => undefined);
      return { connection, release: () => connection.disconnect() };
    }
  }
}
