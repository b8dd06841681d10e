import { abortable } from '../../lib/async.js';
import { ByteCount, type AnswerBounds } from './answer-bounds.js';
import type { ModelSettingNames } from './classify-error.js';
import { ModelError } from './model-error.js';

/** Created once, because a new error for each call would capture a stack. */
const OVER = new DOMException('The call is over.', 'AbortError');

/**
 * Ends a model call that does not begin, goes silent, sends too many bytes, or is cancelled. The
 * timer runs only while the service waits for the provider, so that a slow reader does not count as
 * a slow provider.
 */
export class Watchdog {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private started = false;
  private waiting = false;
  private bitten: 'start' | 'silence' | undefined;
  /** The bound of bytes that the answer is beyond. */
  private tooLong: string | undefined;
  private readonly count: ByteCount;
  private readonly abort = () => this.end();

  constructor(
    private readonly startMs: number,
    private readonly silenceMs: number,
    private readonly outer: AbortSignal,
    bounds: AnswerBounds,
  ) {
    this.count = new ByteCount(bounds);
    outer.addEventListener('abort', this.abort, { once: true });
  }

  /**
   * The signal for the call. Fires with an `AbortError`: the provider packages recognise an abort
   * by this name only.
   */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Call when bytes arrive from the provider. */
  readonly onBytes = (chunk?: Uint8Array): void => {
    this.started = true;
    if (chunk && this.bitten === undefined) this.tooLong ??= this.count.add(chunk);
    if (this.tooLong !== undefined) return this.end();
    if (this.waiting) this.arm();
  };

  /**
   * Waits for a promise of the provider that may ignore the signal.
   * @throws the error of the promise, or an abort
   */
  async guard<Value>(wait: () => PromiseLike<Value>): Promise<Value> {
    this.signal.throwIfAborted();
    return this.watch(abortable(wait(), this.signal));
  }

  /**
   * Waits for a promise of the provider that ends if the signal fires.
   * @throws the error of the promise, or an abort
   */
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

  /** Returns the error if this watchdog ended the call, otherwise undefined. */
  bite({ name }: ModelSettingNames, afterText: boolean): ModelError | undefined {
    if (this.tooLong !== undefined)
      return new ModelError('AI_ERROR', `The answer of "${name}" has ${this.tooLong}.`, {
        retryable: false,
        afterText,
      });
    if (this.bitten === undefined) return undefined;
    const message =
      this.bitten === 'start'
        ? `The model "${name}" did not begin to answer within ${seconds(this.startMs)}.`
        : `The model "${name}" sent nothing for ${seconds(this.silenceMs)}, in the middle of its answer.`;
    return new ModelError('AI_ERROR', message, { retryable: true, afterText });
  }

  /** Ends the call: closes its connection if that is still open. */
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
