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

/** The parsed Redis URL. ioredis parses the URL of a single server. */
type Target =
  | { kind: 'server'; url: string }
  | { kind: 'sentinels'; options: Sentinels }
  | { kind: 'cluster'; nodes: { host: string; port: number }[]; options: Credentials };

/**
 * Whether the URL names a cluster. In a cluster, messages are published in the shard of their run.
 */
export const isCluster = (url: string | undefined): boolean =>
  FORM.exec(url ?? '')?.[2] === 'cluster';

/**
 * Parses a Redis URL. Apart from `redis://…` and `rediss://…` (TLS):
 * - `redis+cluster://USER:PASSWORD@HOST:PORT,HOST:PORT` names some nodes of a cluster; the others
 *   are discovered.
 * - `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/MASTER/DB?sentinelPassword=…` names
 *   sentinels; user and password are those of the servers.
 * - `rediss+cluster` and `rediss+sentinel` use TLS.
 * @throws Error if a part is missing. The message contains no part of the URL
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
    if (!host) throw new Error('the Redis URL has an invalid host; expected HOST:PORT,HOST:PORT…');
    return { host, port: Number(port ?? (topology === 'sentinel' ? 26_379 : 6_379)) };
  });
  if (topology === 'cluster') return { kind: 'cluster', nodes, options };
  const [name, db = '0'] = path.split('/').map(decodeURIComponent);
  if (!name)
    throw new Error(
      'the Redis URL has no master name; expected redis+sentinel://HOST:PORT,HOST:PORT/MASTER',
    );
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

/** Hosts and ports that a Redis URL names: servers, nodes of a cluster, or sentinels. Empty where it cannot be read. */
export function serversOf(url: string | undefined): { host: string; port: number }[] {
  if (url === undefined) return [];
  const target = readUrl(url);
  if (target.kind === 'cluster') return target.nodes;
  if (target.kind === 'sentinels') return target.options.sentinels;
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  return [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6_379) }];
}

interface Shared {
  commandTimeout?: number;
  socketTimeout?: number;
  maxRetriesPerRequest: null;
  autoResubscribe?: boolean;
}

const retryStrategy = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000);

/**
 * Opens a connection that reconnects by itself. For a cluster it is a `Cluster`, which has the same
 * commands; the few places that differ call `isCluster`.
 * @param commandTimeout ms after which a command without a reply fails instead of hanging. The
 *   caller may repeat it if that is safe (the append script returns the recorded result of a
 *   repeated step). A connection without a reply for this time may be half open and is replaced.
 *   Undefined for connections that block or subscribe.
 */
export function connect(
  url: string | undefined,
  commandTimeout?: number,
  more: { autoResubscribe?: boolean } = {},
): Redis {
  if (url === undefined) throw new Error('REDIS_URL is not set, and there is no private Redis');
  const target = readUrl(url);
  const options = {
    ...(commandTimeout === undefined ? {} : { commandTimeout, socketTimeout: commandTimeout }),
    maxRetriesPerRequest: null,
    ...more,
  };
  const redis = open(target, options);
  // Without a listener, ioredis prints every failed reconnect. Readiness reports the failure.
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
        // Certificates name hosts, a cluster announces addresses. With TLS, set
        // cluster-announce-hostname.
        ...(target.options.tls && {
          dnsLookup: (address: string, found: (error: null, address: string) => void) =>
            found(null, address),
        }),
      }) as unknown as Redis;
  }
}

/**
 * Opens a connection that several BullMQ workers share for everything but waiting for jobs, for which each opens one of its own
 * with the same options. Commands of all roles then go to Redis in one write. The caller disconnects it.
 * @param socketTimeout ms after which a connection with an open request is replaced
 */
export function sharedWorkerConnection(url: string | undefined, socketTimeout: number): Redis {
  if (url === undefined) throw new Error('REDIS_URL is not set, and there is no private Redis');
  const redis = open(readUrl(url), { maxRetriesPerRequest: null, socketTimeout });
  redis.on('error', () => undefined);
  writeOnceATick(redis);
  return redis;
}

/**
 * Connection options of a BullMQ worker. BullMQ closes the connections that it opens; `release`
 * closes those opened here.
 * @param socketTimeout ms after which a connection with an open request is replaced
 */
export function workerConnection(
  url: string | undefined,
  socketTimeout: number,
): { connection: ConnectionOptions; release: () => void } {
  if (url === undefined) throw new Error('REDIS_URL is not set, and there is no private Redis');
  const target = readUrl(url);
  // BullMQ's own retry strategy waits up to 20 s after Redis is back.
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
