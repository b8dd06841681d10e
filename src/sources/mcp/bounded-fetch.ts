import { fetchBounded } from '../../lib/http/fetch-bounded.js';
import { connectionWords } from '../http/connection-words.js';
import { addressesOf } from '../http/source-client.js';
import type { HeldConnection, SourceServer } from '../http/source-server.js';

interface Bounds {
  /** Maximum bytes of all answers together. */
  mostBytes: number;
  /** Called if there are more. */
  broken: (why: Error) => void;
  signal: AbortSignal;
}

/**
 * A `fetch` that reaches one server only, at its checked address and over its held connection,
 * follows no redirect and counts what it reads. A stream of notifications (GET) is not opened: a
 * call needs none.
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
    // From here on an error belongs to the connection, and not to an answer of the server.
    const unreachable = (error: unknown): never => {
      if (!signal.aborted) broken(new Error(`${url.host}: ${connectionWords(error)}`));
      throw error;
    };
    await connection.ready(signal).catch(unreachable);
    const header = await authorization?.();
    const headers = new Headers(init.headers);
    if (header !== undefined) headers.set('authorization', header);
    const among = await addressesOf(url, egress).catch(unreachable);
    const response = await fetchBounded(url, {
      method,
      headers,
      body: typeof init.body === 'string' ? init.body : undefined,
      signal: init.signal ?? undefined,
      connection: { ...among, agent: connection.agent },
      onSocket: (socket) => connection.uses(socket),
    }).catch(unreachable);
    const count = (bytes: Uint8Array) => {
      read += bytes.length;
      if (read <= mostBytes) return;
      const why = new Error(`${url.host} sent more than ${mostBytes} bytes`);
      broken(why);
      throw why;
    };
    const counted = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          count(bytes);
          controller.enqueue(bytes);
        },
      }),
    );
    return new Response(counted ?? null, response);
  };
}
