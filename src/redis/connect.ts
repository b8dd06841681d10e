import type { ConnectionOptions } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { readUrl, type Target } from './redis-url.js';
import { rememberScripts } from './script-commands.js';
import { writeOnceATick } from './write-once-a-tick.js';

interface RedisTimeouts {
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

function open(target: Target, options: RedisTimeouts): Redis {
  const redis = create(target, options);
  rememberScripts(redis);
  return redis;
}

function create(target: Target, options: RedisTimeouts): Redis {
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
 * Opens a connection that several BullMQ workers share for everything but waiting for jobs, for
 * which each opens one of its own with the same options. Commands of all roles then go to Redis in
 * one write. The caller disconnects it.
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
