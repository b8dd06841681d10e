/** Told of every sign of life of the provider, before anything is made of it. */
type OnBytes = () => void;

/** By the signal of a call, which the provider packages hand on to `fetch` as it is. */
const watchers = new WeakMap<AbortSignal, OnBytes>();

/** Has the bytes of a model call told of. */
export const watchBytes = (signal: AbortSignal, onBytes: OnBytes): void =>
  void watchers.set(signal, onBytes);

/** Bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 65_536;

/** What came is no stream: a page, or JSON in one piece. */
export class NotAStreamError extends Error {
  override readonly name = 'NotAStreamError';
  constructor(readonly contentType: string) {
    super(`answered with ${contentType}`);
  }
}

/**
 * `fetch` for the provider packages. Pings and comments count as life, though they become no part of an answer. A redirect is
 * not followed: the key would go with it.
 */
export const countingFetch: typeof fetch = async (input, init) => {
  const onBytes = init?.signal ? watchers.get(init.signal) : undefined;
  const response = await fetch(input, { ...init, redirect: 'manual' });
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
      transform(chunk, controller) {
        onBytes?.();
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) controller.terminate();
      },
    }),
  );
  return new Response(watched, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
};
