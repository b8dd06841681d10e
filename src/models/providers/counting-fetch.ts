import { setImmediate } from 'node:timers/promises';
import { fetchBounded } from '../../lib/http/fetch-bounded.js';

/** Called for the head of a response, and then for each chunk of its body before that is parsed. */
type OnBytes = (chunk?: Uint8Array) => void;

/**
 * The watcher of each call, by its signal: the provider packages pass the signal unchanged to
 * `fetch`.
 */
const watchers = new WeakMap<AbortSignal, OnBytes>();

/** Registers a watcher for the bytes of the model call that has this signal. */
export const watchBytes = (signal: AbortSignal, onBytes: OnBytes): void =>
  void watchers.set(signal, onBytes);

/** Maximum bytes of an error body that are read. */
const MAX_ERROR_BYTES = 65_536;

/** The response is an HTML page or a JSON document, not a stream. */
export class NotAStreamError extends Error {
  override readonly name = 'NotAStreamError';
  constructor(readonly contentType: string) {
    super(`answered with ${contentType}`);
  }
}

/**
 * `fetch` for the provider packages. Reports all bytes, including pings and comments, to the
 * watcher of the call. Does not follow redirects, because the key would be sent to the new address.
 */
export const countingFetch: typeof fetch = async (
  input,
  { method, headers, body, signal } = {},
) => {
  const onBytes = signal ? watchers.get(signal) : undefined;
  if (input instanceof Request || (typeof body !== 'string' && body != null))
    throw new TypeError('a model call has a URL and a text');
  const response = await fetchBounded(new URL(input), {
    method,
    headers,
    body: body ?? undefined,
    signal: signal ?? undefined,
  });
  onBytes?.();
  const type = /^[\w.+-]+\/[\w.+-]+/
    .exec(response.headers.get('content-type') ?? '')?.[0]
    .toLowerCase();
  if (response.ok && (type === 'text/html' || type === 'application/json')) {
    await response.body?.cancel().catch(() => undefined);
    throw new NotAStreamError(type);
  }
  if (!response.body) return response;
  let left = response.ok ? Infinity : MAX_ERROR_BYTES;
  const watched = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        onBytes?.(chunk);
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) controller.terminate();
        // Chunks that have arrived together would be parsed without a pause.
        await setImmediate();
      },
    }),
  );
  return new Response(watched, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
};
