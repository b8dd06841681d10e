import { AsyncLocalStorage } from 'node:async_hooks';

/** Told of every sign of life of the provider, before anything is made of it. */
type OnBytes = () => void;

const calls = new AsyncLocalStorage<OnBytes>();

/** Does a model call whose bytes are to be told of. */
export const watchingBytes = <Result>(onBytes: OnBytes, call: () => Result): Result => calls.run(onBytes, call);

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
export const wireFetch: typeof fetch = async (input, init) => {
  const onBytes = calls.getStore();
  const response = await fetch(input, { ...init, redirect: 'manual' });
  onBytes?.();
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '')?.[0].toLowerCase();
  if (response.ok && (type === 'text/html' || type === 'application/json')) {
    await response.body?.cancel().catch(() => undefined);
    throw new NotAStreamError(type);
  }
  if (!response.body || !onBytes) return response;
  const watched = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes();
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(watched, { status: response.status, statusText: response.statusText, headers: response.headers });
};
