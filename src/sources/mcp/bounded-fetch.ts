import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { boundHead } from '../../lib/bound-head.js';
import { connectionWords } from '../http/connection-words.js';
import { addressesOf, type Among } from '../http/source-client.js';
import type { HeldConnection, SourceServer } from '../http/source-server.js';

/** Statuses whose answers have no body (RFC 9110). */
const BODILESS = new Set([204, 205, 304]);

interface Bounds {
  /** Bytes of all answers together. */
  mostBytes: number;
  /** Called if there are more. */
  broken: (why: Error) => void;
  signal: AbortSignal;
}

/**
 * A `fetch` that reaches one server only, at its checked address and over its held connection, follows no redirect and counts what it reads. A stream of
 * notifications (GET) is not opened: a call needs none.
 */
export function boundedFetch(
  { endpoint, egress, authorization, connection }: SourceServer & { connection: HeldConnection },
  { mostBytes, broken, signal }: Bounds,
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  let read = 0;
  const { origin } = new URL(endpoint);
  return async (input, init = {}) => {
    const url = new URL(input);
    if (url.origin !== origin) throw new Error(`${url.origin} is not the server`);
    const method = init.method ?? 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    // What breaks from here on is the connection, and no answer of the server.
    const unreachable = (error: unknown): never => {
      if (!signal.aborted) broken(new Error(`${url.host}: ${connectionWords(error)}`));
      throw error;
    };
    await connection.ready(signal).catch(unreachable);
    const header = await authorization?.();
    const headers = new Headers(init.headers);
    if (header !== undefined) headers.set('authorization', header);
    const incoming = await send(url, {
      ...{ method, headers: Object.fromEntries(headers), connection },
      among: await addressesOf(url, egress).catch(unreachable),
      body: typeof init.body === 'string' ? init.body : undefined,
      signal: init.signal ?? undefined,
    }).catch(unreachable);
    incoming.on('data', (bytes: Buffer) => {
      read += bytes.length;
      if (read <= mostBytes) return;
      broken(new Error(`${url.host} sent more than ${mostBytes} bytes`));
      incoming.destroy();
    });
    return responseOf(incoming);
  };
}

interface Sending {
  method: string;
  headers: Record<string, string>;
  among: Among;
  connection: HeldConnection;
  body: string | undefined;
  signal: AbortSignal | undefined;
}

function send(
  url: URL,
  { body, connection, among, ...options }: Sending,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
    const outgoing = boundHead(
      request(url, { ...options, ...among, agent: connection.agent }, resolve),
    );
    outgoing.once('socket', (socket) => connection.uses(socket));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  if (BODILESS.has(status) || status < 200) {
    incoming.resume();
    return new Response(null, { status: status < 200 ? 502 : status, headers });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers });
}
