import type { Described } from './classify-error.js';
import { ModelError } from './model-error.js';

/** Made once: a reason of its own for each call would come with a stack. */
const OVER = new DOMException('The call is over.', 'AbortError');

/**
 * Ends a model call that does not begin, goes silent, or is not wanted any more. Time counts only while an answer is waited
 * for, so that a reader who is slow is not taken for a provider who is.
 */
export class Watchdog {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private started = false;
  private waiting = false;
  private bitten: 'start' | 'silence' | undefined;
  private readonly abort = () => this.end();

  constructor(
    private readonly startMs: number,
    private readonly silenceMs: number,
    private readonly outer: AbortSignal,
  ) {
    outer.addEventListener('abort', this.abort, { once: true });
  }

  /** Of the call. Fired with an `AbortError`: the provider packages know an abort by its name only. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The provider gave a sign of life. */
  readonly onBytes = (): void => {
    this.started = true;
    if (this.waiting) this.arm();
  };

  /** Waits for something of the provider, which may not listen to the signal. @throws whatever it throws, or an abort */
  async guard<Value>(wait: () => PromiseLike<Value>): Promise<Value> {
    this.signal.throwIfAborted();
    let leave = () => {};
    const aborted = new Promise<never>((_, reject) => {
      const onAbort = () => reject(this.signal.reason as Error);
      this.signal.addEventListener('abort', onAbort, { once: true });
      leave = () => this.signal.removeEventListener('abort', onAbort);
    });
    try {
      return await this.watch(Promise.race([wait(), aborted]));
    } finally {
      leave();
    }
  }

  /** Waits for something of the provider that ends when the signal fires. @throws whatever it throws, or an abort */
  async watch<Value>(something: PromiseLike<Value>): Promise<Value> {
    this.waiting = true;
    this.arm();
    try {
      const value = await something;
      this.signal.throwIfAborted();
      this.started = true;
      return value;
    } finally {
      this.waiting = false;
      clearTimeout(this.timer);
    }
  }

  /** What it ended the call for, if it did. */
  bite({ name }: Described, afterText: boolean): ModelError | undefined {
    if (this.bitten === undefined) return undefined;
    const message =
      this.bitten === 'start'
        ? `The model "${name}" did not begin to answer within ${seconds(this.startMs)}.`
        : `The model "${name}" sent nothing for ${seconds(this.silenceMs)}, in the middle of its answer.`;
    return new ModelError('AI_ERROR', message, { retryable: true, afterText });
  }

  /** The call is over, or is to be: closes its connection, if it is still open. */
  stop(): void {
    this.outer.removeEventListener('abort', this.abort);
    this.end();
  }

  private end(): void {
    clearTimeout(this.timer);
    this.controller.abort(OVER);
  }

  private arm(): void {
    clearTimeout(this.timer);
    const why = this.started ? 'silence' : 'start';
    this.timer = setTimeout(
      () => {
        this.bitten = why;
        this.end();
      },
      why === 'start' ? this.startMs : this.silenceMs,
    );
  }
}

const seconds = (ms: number): string => `${ms / 1_000} s`;
