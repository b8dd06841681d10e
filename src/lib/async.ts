/** Lets a Node.js process exit although the timer is set. A browser has no such option. */
const unref = (timer: unknown): void => (timer as { unref?(): void }).unref?.();

/**
 * Settles like a promise that may ignore a signal, or rejects when the signal fires.
 * @throws the error of the promise, or the reason of the signal
 */
export async function abortable<Value>(
  promise: PromiseLike<Value>,
  signal: AbortSignal,
): Promise<Value> {
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    stopListening = () => signal.removeEventListener('abort', abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stopListening();
  }
}

/** Settles like a promise, or resolves with `late` after `ms`. The process may exit meanwhile. */
export async function atMost<Value, Late>(
  ms: number,
  promise: PromiseLike<Value>,
  late: Late,
): Promise<Value | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
    unref(timer);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs work with its own signal, which is aborted with `outer`, with the error `late()` after `ms`,
 * and when the work has ended, so that resources tied to it never outlive the call. Waits for the
 * work, which must end when its signal is aborted.
 * @throws the reason of `outer` if it was aborted before; errors of the work
 */
export async function withinTime<Result>(
  { outer, ms, late }: { outer?: AbortSignal | undefined; ms: number; late: () => Error },
  work: (own: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer?.throwIfAborted();
  const own = new AbortController();
  const stop = () => own.abort(outer?.reason);
  outer?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => own.abort(late()), ms);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
    own.abort();
  }
}

/**
 * A signal that fires with others and after some time, until it is closed. `AbortSignal.any` and
 * `AbortSignal.timeout` do the same for several times the cost: the garbage collector ends them.
 */
export class ClosableSignal {
  private readonly own = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners: (() => void)[];

  /** @param ms undefined: no time */
  constructor(
    private readonly others: readonly AbortSignal[],
    ms?: number,
  ) {
    this.listeners = others.map((other) => () => this.own.abort(other.reason));
    others.forEach((other, i) => {
      if (other.aborted) this.own.abort(other.reason);
      else other.addEventListener('abort', this.listeners[i] as () => void, { once: true });
    });
    if (ms === undefined) return;
    this.timer = setTimeout(
      () => this.own.abort(new DOMException('It took too long', 'TimeoutError')),
      ms,
    );
    unref(this.timer);
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  abort(reason: unknown): void {
    this.own.abort(reason);
  }

  close(): void {
    clearTimeout(this.timer);
    this.others.forEach((other, i) =>
      other.removeEventListener('abort', this.listeners[i] as () => void),
    );
  }
}

/** Waits for a number of ms. @throws the reason of the signal, as soon as it fires */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    await (signal ? abortable(over, signal) : over);
  } finally {
    clearTimeout(timer);
  }
}

export interface RetryOptions {
  /** ms before the second attempt; doubles with each attempt. */
  firstMs: number;
  /** Maximum ms between two attempts. */
  longestMs: number;
  /** Whether an error ends the attempts. */
  isFinal: (error: unknown) => boolean;
  /** Ends a pause. */
  signal?: AbortSignal;
}

/**
 * Calls a function until it resolves or fails for good. The process may exit during a pause.
 * @throws the error that `isFinal` accepted, or the reason of the signal
 */
export async function retry<Value>(
  attempt: () => Promise<Value>,
  { firstMs, longestMs, isFinal, signal }: RetryOptions,
): Promise<Value> {
  for (let ms = firstMs; ; ms = Math.min(ms * 2, longestMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (isFinal(error)) throw error;
    }
    const over = new Promise<void>((resolve) => unref(setTimeout(resolve, ms)));
    await (signal ? abortable(over, signal) : over);
  }
}
