import { AbstractConnector, Redis } from 'ioredis';
import type { Socket } from 'node:net';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { trustOptionsOf } from '../attributes.js';
import { type CertificateFacts, readCertificate } from '../net/certificate.js';
import { connectTcp, secure } from '../net/connect.js';
import { clean, credentialsOf, type HostPort, urlOf } from '../net/endpoint.js';
import { classify, messageOf, type NetworkFault, type Phase } from '../net/network-error.js';
import { pause, within } from '../net/within.js';

/** Between two looks at the errors counted, where writes have been refused before. */
const ERRORS_INTERVAL_MS = 250;
const SLOWLOG_ENTRIES = 10;

export interface SlowCommand {
  /** Only its name: the arguments are the users' data. */
  command: string;
  durationMs: number;
  /** Seconds since 1970, by the server's clock. */
  at: number;
}

/** What a Redis says of itself. */
export interface RedisReading {
  pingMs: number;
  /** The fields of `INFO` and `INFO errorstats`; empty where the user may not ask. */
  info: ReadonlyMap<string, string>;
  /** `errorstat_*` a moment later; only where `OOM` was counted. */
  errorsLater?: ReadonlyMap<string, string>;
  /** Not there where the user may not ask. */
  slowlog?: { length: number; latest: SlowCommand[] };
}

export interface RedisVisit {
  reading?: RedisReading;
  certificate?: CertificateFacts;
  /** No connection, or no answer. */
  fault?: NetworkFault;
  /** Redis answers, and refuses: `WRONGPASS …`, `LOADING …`. */
  refusal?: string;
}

/**
 * Connects once, without a retry, and only reads.
 *
 * @param timeoutMs for everything but the pause between two looks
 * @throws the signal's reason; never for a fault of the target
 */
export async function readRedis(
  target: HostPort,
  node: TopologyNode,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<RedisVisit> {
  const visit: RedisVisit = {};
  const trust = trustOptionsOf(node);
  const url = urlOf(node, 'redis:', 'rediss:');
  let phase: Phase = 'connect';
  try {
    await within(signal, timeoutMs + ERRORS_INTERVAL_MS, async (own) => {
      let socket = await within(own, timeoutMs, () => connectTcp(target, own));
      if (url?.protocol === 'rediss:') {
        phase = 'tls';
        const tls = await secure(socket, target.host, trust);
        visit.certificate = readCertificate(tls, target.host, trust, node, Date.now());
        socket = tls;
        // Whoever cannot prove to be our Redis gets no password.
        if (visit.certificate.issues.length > 0 && url && credentialsOf(url)) return;
      }
      phase = 'answer';
      const redis = overSocket(socket);
      await redis.connect();
      await signIn(redis, url);
      visit.reading = await read(redis, own);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isNamed(error, 'ReplyError')) visit.refusal = clean(messageOf(error), node, 160);
    else if (NO_REDIS.test(messageOf(error)))
      visit.fault = {
        kind: 'protocol',
        symptom: 'erroring',
        text: 'what answers does not speak the Redis protocol',
      };
    else if (messageOf(error) === 'Connection is closed.')
      visit.fault = classify({ code: 'ECONNRESET' }, phase);
    else visit.fault = classify(error, phase);
  }
  return visit;
}

/** The parser's words for bytes that are no reply; it has no class of its own. */
const NO_REDIS = /^(Unknown RESP type|Protocol error)/;

const isNamed = (error: unknown, name: string) =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === name;

/**
 * ioredis over a connection that is ours: errors of connecting are told apart in one place, and the socket ends with its
 * signal. It sends nothing by itself: no HELLO, no AUTH, no ready check, which would hide what the server refuses.
 */
function overSocket(socket: Socket): Redis {
  class ReadyConnector extends AbstractConnector {
    override connect(): Promise<Socket> {
      this.stream = socket;
      return Promise.resolve(socket);
    }
  }
  const redis = new Redis({
    Connector: ReadyConnector as unknown as new (options: unknown) => AbstractConnector,
    protocol: 2,
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
    autoResendUnfulfilledCommands: false,
  });
  redis.on('error', () => undefined); // Each command rejects with it as well.
  return redis;
}

async function signIn(redis: Redis, url: URL | undefined): Promise<void> {
  const credentials = url && credentialsOf(url);
  if (credentials) {
    const { user, password } = credentials;
    await redis
      .call('AUTH', ...(user === '' ? [password] : [user, password]))
      .catch((error: unknown) => {
        // A password that a server does not ask for is no fault of the server.
        if (!/without any password configured|no password is set/.test(messageOf(error)))
          throw error;
      });
  }
  const db = Number(url?.pathname.slice(1));
  if (Number.isInteger(db) && db > 0) await redis.call('SELECT', String(db));
}

async function read(redis: Redis, signal: AbortSignal): Promise<RedisReading> {
  const started = performance.now();
  await redis.ping();
  const pingMs = performance.now() - started;
  const [all, errors, length, latest] = await Promise.all([
    allowed(redis.info()),
    allowed(redis.info('errorstats')), // Since Redis 6.2; before, nothing.
    allowed(redis.call('SLOWLOG', 'LEN')),
    allowed(redis.call('SLOWLOG', 'GET', String(SLOWLOG_ENTRIES))),
  ]);
  const info = parseInfo(`${all ?? ''}\r\n${errors ?? ''}`);
  const reading: RedisReading = { pingMs, info };
  if (typeof length === 'number' && Array.isArray(latest))
    reading.slowlog = { length, latest: latest.map(slowCommand) };
  if (info.has('errorstat_OOM')) {
    await pause(ERRORS_INTERVAL_MS, signal);
    reading.errorsLater = parseInfo((await allowed(redis.info('errorstats'))) ?? '');
  }
  return reading;
}

/** Undefined where an ACL or a renamed command forbids it. */
async function allowed<T>(reply: Promise<T>): Promise<T | undefined> {
  return reply.catch((error: unknown) => {
    if (/^(NOPERM|ERR unknown)/.test(messageOf(error))) return undefined;
    throw error;
  });
}

/** `INFO`: `field:value` lines between `# Section` lines. */
export function parseInfo(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':') && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

/** `[id, unix seconds, microseconds, [command, …], …]` */
function slowCommand(entry: unknown): SlowCommand {
  const [, at, micros, words] = Array.isArray(entry) ? (entry as unknown[]) : [];
  const command: unknown = Array.isArray(words) ? words[0] : undefined;
  return {
    command: typeof command === 'string' ? command.slice(0, 40) : '?',
    durationMs: Number(micros) / 1000,
    at: Number(at),
  };
}
