import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request, STATUS_CODES } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { boundHead } from '../../lib/http/bound-head.js';
import type { TrustOptions } from '../attributes.js';
import type { ToolContext } from '../tool.js';
import { BoundedBytes } from './bounded-bytes.js';
import { type CertificateFacts, readCertificate } from './certificate.js';
import { connectTcp, secure, withPlace } from './connect.js';
import { credentialsOf, type HostPort } from './endpoint.js';
import {
  classify,
  type NetworkFault,
  type ConnectionPhase,
  speaksTlsFault,
} from './network-error.js';
import { speaksTls } from './speaks-tls.js';
import { orWrongAddress } from './spoken-protocol.js';
import { within } from './within.js';

export interface HttpAnswer {
  status: number;
  /**
   * The phrase of the status code, empty for an unknown code. The server's phrase is not read (RFC
   * 9112, section 4).
   */
  reason: string;
  headers: IncomingHttpHeaders;
  /**
   * The body as UTF-8, at most the bytes asked for; empty if it is compressed in a way that is not
   * read.
   */
  body: string;
  bodyComplete: boolean;
  /** From the look-up of the name to the connection. */
  connectMs: number;
  /** From the look-up of the name to the end of the body, or of the part asked for. */
  latencyMs: number;
}

/** The outcome of one request: an answer or a fault, and the certificate if there was one. */
export interface HttpExchange {
  answer?: HttpAnswer;
  fault?: NetworkFault;
  certificate?: CertificateFacts;
  /**
   * The URL has credentials, but the server could not prove its identity, so that they were not
   * sent.
   */
  credentialsWithheld: boolean;
  /** From the start, without the wait for a place among the connections to the host, to the end. */
  tookMs: number;
}

export interface ExchangeOptions {
  context: ToolContext;
  trust: TrustOptions;
  timeoutMs: number;
  maxBytes: number;
  /** Sends an empty POST with these header fields instead of a GET. */
  post?: Record<string, string>;
}

const targetOf = (url: URL): HostPort => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
});

/**
 * GETs a URL (or POSTs to it) over a new connection, so that a kept-alive one hides nothing.
 * Follows no redirect. TLS that does not verify is noted and used nevertheless, without
 * credentials: the state of the service behind it is a separate question.
 * @throws the signal's reason; UnmeasuredError; never for a fault of the target
 */
export async function exchangeOnce(url: URL, options: ExchangeOptions): Promise<HttpExchange> {
  const target = targetOf(url);
  return withPlace(options.context, target, () => exchangeWith(target, url, options));
}

/** The same, and if there is no answer, whether the address belongs to another protocol. */
export const exchange = async (url: URL, options: ExchangeOptions): Promise<HttpExchange> =>
  orOtherProtocol(await exchangeOnce(url, options), url, options);

/**
 * The meaning of a missing answer: a wrong address, if another protocol is spoken there. This uses
 * separate connections, which a load balancer may send to another server, and which advance its
 * rotation: not between tries that are compared.
 * @throws the signal's reason; UnmeasuredError
 */
export async function orOtherProtocol(
  result: HttpExchange,
  url: URL,
  options: Pick<ExchangeOptions, 'context' | 'trust'>,
): Promise<HttpExchange> {
  const target = targetOf(url);
  if (url.protocol === 'https:') {
    if (result.fault === undefined || result.certificate !== undefined) return result;
    const fault = await orWrongAddress(result.fault, 'a TLS server', target, options.context);
    return { ...result, fault };
  }
  if (!refusesPlain(result)) return result;
  if (await speaksTls(target, options.context, options.trust)) {
    const { answer: _refusal, ...rest } = result;
    return { ...rest, fault: speaksTlsFault('https://') };
  }
  if (result.fault === undefined) return result;
  const fault = await orWrongAddress(result.fault, 'an HTTP server', target, options.context);
  return { ...result, fault };
}

const SWITCHING_PROTOCOLS = 101;

/**
 * It ends a request without TLS as a port for TLS does: closes it, sends an alert, or says so in a
 * 400.
 */
const refusesPlain = ({ answer, fault }: HttpExchange): boolean =>
  fault?.kind === 'reset' ||
  fault?.kind === 'protocol' ||
  (answer?.status === 400 && /\b(?:https|tls|ssl)\b/i.test(answer.body));

async function exchangeWith(
  target: HostPort,
  url: URL,
  { context: { node, signal, policy }, trust, timeoutMs, maxBytes, post }: ExchangeOptions,
): Promise<HttpExchange> {
  const result: HttpExchange = { credentialsWithheld: false, tookMs: 0 };
  const started = performance.now();
  let phase: ConnectionPhase = 'connect';
  try {
    await within(signal, timeoutMs, async (own) => {
      let socket = await connectTcp(target, policy.egress, own);
      const connectMs = performance.now() - started;
      if (url.protocol === 'https:') {
        phase = 'tls';
        const tls = await secure(socket, target.host, trust);
        result.certificate = readCertificate(tls, {
          host: target.host,
          trust,
          node,
          now: Date.now(),
        });
        socket = tls;
      }
      phase = 'answer';
      const credentials = credentialsOf(url);
      result.credentialsWithheld =
        credentials !== undefined && (result.certificate?.issues.length ?? 0) > 0;
      const outgoing = boundHead(
        request({
          createConnection: () => socket,
          path: url.pathname + url.search,
          ...(post && { method: 'POST' }),
          headers: {
            ...(post && { ...post, 'content-length': '0' }),
            host: url.host,
            accept: '*/*',
            'accept-encoding': 'identity',
            'user-agent': 'consilium',
            connection: 'close',
          },
          ...(credentials &&
            !result.credentialsWithheld && { auth: `${credentials.user}:${credentials.password}` }),
        }),
      );
      outgoing.on('error', () => undefined);
      outgoing.end();
      const [incoming] = (await Promise.race([
        once(outgoing, 'response'),
        // An answer that ends HTTP on the connection: the following bytes are not a body.
        once(outgoing, 'upgrade'),
      ])) as [IncomingMessage];
      const { body, complete } = await readBody(incoming, maxBytes);
      const latencyMs = performance.now() - started;
      const { statusCode = 0, headers } = incoming;
      result.answer = {
        status: statusCode,
        reason: STATUS_CODES[statusCode] ?? '',
        headers,
        body,
        bodyComplete: complete,
        connectMs,
        latencyMs,
      };
    });
  } catch (error) {
    signal.throwIfAborted();
    result.fault = classify(error, phase);
  }
  result.tookMs = performance.now() - started;
  return result;
}

/**
 * Servers compress even if they are asked not to. Pieces are decompressed one by one, so that the
 * bound of the body applies.
 */
function plainOf(incoming: IncomingMessage, maxBytes: number): Readable | undefined {
  switch (incoming.headers['content-encoding']?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return incoming;
    case 'gzip':
    case 'x-gzip':
      return decompressed(incoming, createGunzip(), maxBytes);
    case 'deflate':
      return decompressed(incoming, createInflate(), maxBytes);
    default:
      return undefined;
  }
}

/** Its compressed bytes are bounded, too: empty members of gzip may go on without end. */
function decompressed(incoming: IncomingMessage, by: Transform, maxBytes: number): Readable {
  let left = 2 * maxBytes;
  incoming.on('data', ({ length }: Buffer) => {
    if (left < 0) incoming.destroy(new EmptyCompressionError());
    left -= length;
  });
  return pipeline(incoming, by, () => undefined);
}

class EmptyCompressionError extends Error {
  readonly code = 'Z_DATA_ERROR';
}

/**
 * At most `maxBytes` of the body; none of an event stream, which never ends, or of a compression
 * that is not read.
 */
async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<{ body: string; complete: boolean }> {
  if (incoming.statusCode === SWITCHING_PROTOCOLS) {
    incoming.destroy();
    return { body: '', complete: true };
  }
  const isEndless = incoming.headers['content-type']?.startsWith('text/event-stream') === true;
  const plain = isEndless ? undefined : plainOf(incoming, maxBytes);
  if (plain === undefined) {
    incoming.destroy();
    return { body: '', complete: false };
  }
  const body = new BoundedBytes(maxBytes);
  let complete = true;
  for await (const chunk of plain as AsyncIterable<Buffer>) {
    complete = body.push(chunk);
    if (!complete) break; // Leaving the loop destroys the stream.
  }
  return { body: body.bytes().toString('utf8'), complete };
}
