import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { abortable, withinTime } from '../../lib/async.js';
import { amongAddresses } from '../../lib/http/among-addresses.js';
import type { Egress } from '../http/source-server.js';
import { SourceError } from '../http/source-error.js';
import type { KafkaAddress, KafkaServer } from './kafka-server.js';
import { API, type ApiName, type ApiVersions, apiVersions, versionOf } from './api-versions.js';
import { int16, int32, KafkaReader, MOST_BYTES, notKafka, NotKafkaError, string } from './wire.js';

const CLIENT = string('consilium');

export interface KafkaReach {
  egress: Egress;
  signal: AbortSignal;
  /** ms for the connection, and for each answer. */
  timeoutMs: number;
}

export const showAddress = ({ host, port }: KafkaAddress): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/**
 * Runs work over a connection to a broker, which has a place among those to its host.
 * @throws SourceError; the signal's reason; errors of the work
 */
export async function withBroker<Result>(
  broker: KafkaAddress,
  { tls }: Pick<KafkaServer, 'tls'>,
  reach: KafkaReach,
  work: (connection: KafkaConnection) => Promise<Result>,
): Promise<Result> {
  const { egress, signal, timeoutMs } = reach;
  const leave = await egress
    .enter(broker, signal)
    .catch((cause: unknown) => fail(broker, cause, signal));
  try {
    const socket = await opened(broker, tls, reach).catch((cause: unknown) =>
      fail(broker, cause, signal),
    );
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const connection = new KafkaConnection(socket, timeoutMs);
      await connection.begin();
      return await work(connection);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceError)) throw error;
      const { failure, message, options } = error;
      throw new SourceError(failure, `${showAddress(broker)}: ${message}`, options);
    } finally {
      signal.removeEventListener('abort', stop);
      socket.destroy();
    }
  } finally {
    await leave();
  }
}

function fail(broker: KafkaAddress, cause: unknown, signal: AbortSignal): never {
  signal.throwIfAborted();
  const message = cause instanceof Error ? cause.message : String(cause);
  throw new SourceError('unreachable', `${showAddress(broker)}: ${message}`, { cause });
}

const late = (ms: number) => () =>
  Object.assign(new Error(`no connection within ${ms} ms`), { code: 'ETIMEDOUT' });

const opened = (
  { host, port }: KafkaAddress,
  tls: KafkaServer['tls'],
  { egress, signal, timeoutMs }: KafkaReach,
): Promise<Socket> =>
  withinTime({ outer: signal, ms: timeoutMs, late: late(timeoutMs) }, async (own) => {
    const addresses = await abortable(egress.resolve({ host, port }), own);
    const options = { host, port, noDelay: true, ...amongAddresses(host, addresses) };
    const name = tls?.serverName ?? host;
    const socket = tls
      ? connectTls({
          ...options,
          servername: isIP(name) === 0 ? name : '', // RFC 6066: no address in SNI
          rejectUnauthorized: tls.trustSelfSigned !== true,
          checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
          ...(tls.ca !== undefined && { ca: tls.ca }),
        })
      : connect(options);
    socket.on('error', () => undefined); // Errors after the last listener is gone.
    try {
      await abortable(once(socket, tls ? 'secureConnect' : 'connect'), own);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  });

/** Requests to a broker, one after the other. */
export class KafkaConnection {
  readonly #chunks: AsyncIterator<Buffer>;
  #versions: ApiVersions = new Map();
  #rest: Buffer = Buffer.alloc(0);
  /** Remaining bytes that may be received. */
  #left = MOST_BYTES;
  #sent = 0;
  /** Whether the broker has accepted a credential, or answers without one. */
  isLetIn = false;

  constructor(
    private readonly socket: Socket,
    private readonly timeoutMs: number,
  ) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  /** Asks which requests the broker supports. */
  async begin(): Promise<void> {
    try {
      this.#versions = apiVersions(await this.#ask(API.apiVersions.key, 0, Buffer.alloc(0)));
    } catch (error) {
      if (!(error instanceof NotKafkaError)) throw error;
      // The first answer: it proves that this is a Kafka, even if later answers are broken.
      throw new SourceError('failed', error.message, { otherProtocol: error.message });
    }
  }

  /** Whether the broker supports this request in a version of this client. */
  has(api: ApiName): boolean {
    return versionOf(api, this.#versions) !== undefined;
  }

  /** @throws SourceError also if the broker supports the request only in other versions */
  async call(
    api: ApiName,
    body: (version: number) => Buffer,
  ): Promise<{ answer: KafkaReader; version: number }> {
    const { key, least, most } = API[api];
    const version = versionOf(api, this.#versions);
    if (version === undefined) {
      const [from, to] = this.#versions.get(key) ?? [];
      const has = from === undefined ? 'it has none' : `it has ${from} to ${to}`;
      throw new SourceError(
        'failed',
        `request ${key} is needed in a version from ${least} to ${most}, and ${has}`,
      );
    }
    const answer = await this.#ask(key, version, body(version));
    if (!api.startsWith('sasl')) this.isLetIn = true;
    return { answer, version };
  }

  async #ask(key: number, version: number, body: Buffer): Promise<KafkaReader> {
    this.#sent += 1;
    const head = Buffer.concat([int16(key), int16(version), int32(this.#sent), CLIENT]);
    const timer = setTimeout(() => {
      const why = `no answer within ${this.timeoutMs} ms`;
      const waited = { waitedMs: this.timeoutMs };
      this.socket.destroy(new SourceError('unreachable', why, waited));
    }, this.timeoutMs);
    try {
      this.socket.write(Buffer.concat([int32(head.length + body.length), head, body]));
      const first = await this.#take(4);
      const size = first.readInt32BE();
      if (size < 4 || size > MOST_BYTES)
        throw notKafka(`an answer begins with "${printable(first)}"`);
      if (size > this.#left)
        throw new SourceError('failed', `its answers are larger than ${MOST_BYTES} bytes`);
      const answer = new KafkaReader(await this.#take(size));
      if (answer.int32() !== this.#sent) throw notKafka('an answer is to another request');
      return answer;
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw this.#closed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Why the broker may have ended the connection: it gives no reason. */
  #closed(cause: unknown): SourceError {
    const what = 'it closes the connection';
    if (this.#versions.size === 0)
      return new SourceError('failed', `${what} before it answers: TLS may be wanted, or not`, {
        cause,
        isClosed: true,
      });
    return this.isLetIn
      ? new SourceError('failed', what, { cause })
      : new SourceError('refused', `${what} before it has accepted a credential`, { cause });
  }

  async #take(size: number): Promise<Buffer> {
    const taken = Buffer.alloc(size);
    let filled = 0;
    while (filled < size) {
      if (this.#rest.length === 0) {
        const next = (await this.#chunks.next()) as IteratorResult<Buffer, undefined>;
        if (next.done === true) throw new Error('the connection has ended');
        this.#rest = next.value;
      }
      const copied = this.#rest.copy(taken, filled);
      this.#rest = this.#rest.subarray(copied);
      filled += copied;
    }
    this.#left -= size;
    return taken;
  }
}

/** The bytes as text, with a dot for each that is no printable ASCII character. */
const printable = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
