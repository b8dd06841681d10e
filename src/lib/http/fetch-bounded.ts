import { request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { boundHead } from './bound-head.js';

/** Statuses whose responses have no body (RFC 9110). */
const BODILESS = new Set([204, 205, 304]);
/** The characters of a reason phrase (RFC 9112). */
const PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/;

interface BoundedRequest {
  method?: string | undefined;
  headers?: RequestInit['headers'] | undefined;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How it connects; absent: as Node's global agent does. */
  connection?: Pick<RequestOptions, 'agent' | 'lookup'>;
  onSocket?: (socket: Socket) => void;
}

/**
 * A `fetch` that bounds what precedes the head of a response, which `fetch` does not (`boundHead`).
 * Follows no redirect and decodes no body.
 * @throws the signal's reason; Node's error of the connection
 */
export async function fetchBounded(url: URL, sending: BoundedRequest = {}): Promise<Response> {
  const incoming = await send(url, sending);
  try {
    return responseOf(incoming);
  } catch (error) {
    incoming.destroy();
    throw error;
  }
}

function send(
  url: URL,
  { method = 'GET', headers, body, signal, connection, onSocket }: BoundedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
    const outgoing = boundHead(
      request(url, {
        ...connection,
        method,
        headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(headers)) },
      }),
    );
    let answer: IncomingMessage | undefined;
    const abort = () => void (answer ?? outgoing).destroy(signal?.reason as Error);
    signal?.addEventListener('abort', abort);
    outgoing
      .once('close', () => signal?.removeEventListener('abort', abort))
      .once('response', (incoming) => resolve((answer = incoming)))
      .on('error', reject);
    if (onSocket) outgoing.once('socket', onSocket);
    outgoing.end(body);
  });
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: phrase = '' } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct))
    for (const value of values) headers.append(name, value);
  const isEmpty = BODILESS.has(status);
  if (isEmpty) incoming.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream), {
    status,
    headers,
    statusText: PHRASE.test(phrase) ? phrase : '',
  });
}
