import { trustOptionsOf } from '../attributes.js';
import type { ToolContext } from '../tool.js';
import { type CertificateFacts, readCertificate } from '../net/certificate.js';
import { connectTcp, secure, withPlace } from '../net/connect.js';
import { clean, credentialsOf, type HostPort, urlOf } from '../net/endpoint.js';
import {
  classify,
  messageOf,
  type NetworkFault,
  type ConnectionPhase,
  speaksTlsFault,
  wrongAddress,
} from '../net/network-error.js';
import { speaksTls } from '../net/speaks-tls.js';
import { orWrongAddress } from '../net/spoken-protocol.js';
import { pause } from '../../lib/async.js';
import { within } from '../net/within.js';
import { RespConnection, RespRefusal } from './resp-connection.js';
import { RespProtocolError, type RespValue } from './resp.js';

/**
 * Time between two reads of the error counts, if writes have been refused before; less if less time
 * is left.
 */
const ERRORS_INTERVAL_MS = 250;
const SLOWLOG_ENTRIES = 10;

export interface SlowCommand {
  /** Only its name: the arguments are the users' data. */
  command: string;
  durationMs: number;
  /** Seconds since 1970, by the server's clock. */
  at: number;
}

/** The state that a Redis reports. */
export interface RedisReading {
  pingMs: number;
  /** The fields of `INFO` and `INFO errorstats`; empty if the user may not read them. */
  info: ReadonlyMap<string, string>;
  /** The reply instead of `INFO`, if it was refused. */
  infoRefusal?: string;
  /** `errorstat_*` a moment later; only if `OOM` was counted. */
  errorsLater?: ReadonlyMap<string, string>;
  /** Absent if the user may not read it. */
  slowlog?: { length: number; latest: SlowCommand[] };
}

export interface RedisVisit {
  reading?: RedisReading;
  certificate?: CertificateFacts;
  /** No connection, or no answer. */
  fault?: NetworkFault;
  /** Redis answers, and refuses: `WRONGPASS …`, `LOADING …`. */
  refusal?: string;
  /** It has answered like a Redis. */
  isRedis?: boolean;
}

/**
 * Connects once, without a retry, and only reads.
 *
 * @param timeoutMs for the whole visit
 * @throws the signal's reason; UnmeasuredError; never for a fault of the target
 */
export async function readRedis(
  target: HostPort,
  context: ToolContext,
  timeoutMs: number,
): Promise<RedisVisit> {
  const { node } = context;
  const visit = await withPlace(context, target, () => visitRedis(target, context, timeoutMs));
  const { fault: met, certificate, isRedis } = visit;
  if (met === undefined || certificate !== undefined || isRedis) return visit;
  const isTls = urlOf(node, 'rediss:') !== undefined;
  // A port for TLS closes a connection without, or sends an alert.
  const refusesPlain = !isTls && (met.kind === 'reset' || met.kind === 'protocol');
  const fault =
    refusesPlain && (await speaksTls(target, context, trustOptionsOf(node)))
      ? speaksTlsFault('rediss://')
      : await orWrongAddress(met, isTls ? 'a TLS server' : 'a Redis', target, context);
  return { ...visit, fault };
}

async function visitRedis(
  target: HostPort,
  { node, signal, policy }: ToolContext,
  timeoutMs: number,
): Promise<RedisVisit> {
  const visit: RedisVisit = {};
  const trust = trustOptionsOf(node);
  const url = urlOf(node, 'redis:', 'rediss:');
  let phase: ConnectionPhase = 'connect';
  const until = performance.now() + timeoutMs;
  try {
    await within(signal, timeoutMs, async (own) => {
      let socket = await connectTcp(target, policy.egress, own);
      if (url?.protocol === 'rediss:') {
        phase = 'tls';
        const tls = await secure(socket, target.host, trust);
        visit.certificate = readCertificate(tls, {
          host: target.host,
          trust,
          node,
          now: Date.now(),
        });
        socket = tls;
        // A server that cannot prove its identity gets no password.
        if (visit.certificate.issues.length > 0 && url && credentialsOf(url)) return;
      }
      phase = 'answer';
      const redis = new RespConnection(socket);
      await greet(redis);
      visit.isRedis = true;
      await signIn(redis, url);
      visit.reading = await read(redis, own, until);
      const { infoRefusal } = visit.reading;
      if (infoRefusal !== undefined) visit.reading.infoRefusal = clean(infoRefusal, node, 160);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RespRefusal) visit.refusal = clean(error.message, node, 160);
    else visit.fault = faultOf(error, phase, visit.isRedis);
  }
  return visit;
}

/** @param isRedis it has answered like a Redis */
function faultOf(error: unknown, phase: ConnectionPhase, isRedis = false): NetworkFault {
  if (!(error instanceof RespProtocolError)) return classify(error, phase);
  const text = 'the server does not use the Redis protocol';
  if (isRedis) return { kind: 'protocol', symptom: 'erroring', text };
  return wrongAddress(error.speaksHttp ? 'this is not a Redis server: it answers HTTP' : text);
}

/** Answers to PING of a Redis that requires a password first. Only a Redis gets one. */
const ASKS_FOR_CREDENTIALS = /^(NOAUTH|NOPERM)\b/;

/** @throws RespRefusal; RespProtocolError if the server is not a Redis */
async function greet(redis: RespConnection): Promise<void> {
  const answer = await redis.call('PING').catch((error: unknown) => {
    if (!(error instanceof RespRefusal) || !ASKS_FOR_CREDENTIALS.test(error.message)) throw error;
    return 'PONG';
  });
  if (answer !== 'PONG') throw new RespProtocolError('it does not answer PING with PONG');
}

/**
 * The credentials are sent only after the peer has answered PING like a Redis, since a connection
 * may lead anywhere.
 * @throws RespRefusal
 */
async function signIn(redis: RespConnection, url: URL | undefined): Promise<void> {
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

const PINGS = 3;

/**
 * ms that an answer to PING takes: the median of three, or of as many as take no more than a third
 * of the time that is left.
 */
async function pinged(redis: RespConnection, until: number): Promise<number> {
  const began = performance.now();
  const took: number[] = [];
  for (let from = began; took.length < PINGS && from - began <= (until - began) / PINGS;) {
    await redis.call('PING');
    const now = performance.now();
    took.push(now - from);
    from = now;
  }
  return took.toSorted((a, b) => a - b)[(took.length - 1) >> 1] ?? 0;
}

/** @param until when the visit ends, on the monotonic clock in ms */
async function read(
  redis: RespConnection,
  signal: AbortSignal,
  until: number,
): Promise<RedisReading> {
  const pingMs = await pinged(redis, until);
  let infoRefusal: string | undefined;
  const all = await allowed(redis.call('INFO'), (said) => (infoRefusal = said));
  const errors = await allowed(redis.call('INFO', 'errorstats')); // Since Redis 6.2; before, nothing.
  const length = await allowed(redis.call('SLOWLOG', 'LEN'));
  const latest = await allowed(redis.call('SLOWLOG', 'GET', String(SLOWLOG_ENTRIES)));
  const info = parseInfo(`${textOf(all)}\r\n${textOf(errors)}`);
  const reading: RedisReading = { pingMs, info, ...(infoRefusal !== undefined && { infoRefusal }) };
  if (typeof length === 'number' && Array.isArray(latest))
    reading.slowlog = { length, latest: latest.slice(0, SLOWLOG_ENTRIES).map(slowCommand) };
  if (info.has('errorstat_OOM')) {
    const left = until - performance.now();
    await pause(Math.min(ERRORS_INTERVAL_MS, left / 2), signal);
    reading.errorsLater = parseInfo(textOf(await allowed(redis.call('INFO', 'errorstats'))));
  }
  return reading;
}

const textOf = (value: RespValue | undefined): string => (typeof value === 'string' ? value : '');

/** Undefined if an ACL or a renamed command forbids it. */
async function allowed<T>(
  reply: Promise<T>,
  onRefusal?: (said: string) => void,
): Promise<T | undefined> {
  return reply.catch((error: unknown) => {
    if (!(error instanceof RespRefusal) || !/^(NOPERM|ERR unknown)/.test(error.message))
      throw error;
    onRefusal?.(error.message);
    return undefined;
  });
}

/**
 * Lines of `INFO` that are kept: a Redis has some 200, with one for each database, command and
 * replica.
 */
const MOST_FIELDS = 4_000;

/**
 * `INFO`: `field:value` lines between `# Section` lines.
 * @internal Exported for tests.
 */
export function parseInfo(text: string): Map<string, string> {
  const lines = text
    .split(/\r?\n/, 2 * MOST_FIELDS)
    .filter((line) => line.includes(':') && !line.startsWith('#'))
    .slice(0, MOST_FIELDS);
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

/** `[id, unix seconds, microseconds, [command, …], …]` */
function slowCommand(entry: RespValue): SlowCommand {
  const [, at, micros, words] = Array.isArray(entry) ? entry : [];
  const command = Array.isArray(words) ? words[0] : undefined;
  return {
    command: typeof command === 'string' ? command.slice(0, 40) : '?',
    durationMs: Number(micros) / 1000,
    at: Number(at),
  };
}
