import type { TooLong } from '../../domain/context/prompt-too-long.js';
import type { FailedAttempt, ProviderFailureCode } from '../../domain/provider/retry-policy.js';

/**
 * The error of every failed model call, for all providers. The message is for a person and names
 * the setting to check. It contains no key, header or id of the provider.
 */
export class ModelError extends Error implements FailedAttempt {
  override readonly name = 'ModelError';
  readonly retryable: boolean;
  /** ms that the provider asked to wait. */
  readonly retryAfterMs?: number;
  /** When a model is called again whose provider asked for a long pause. ms since 1970. */
  readonly retryAt?: number;
  /**
   * Present if the prompt does not fit the context window: the figures that the provider reported.
   */
  readonly tooLong?: TooLong;
  /** True if a part of the text was yielded before the error. */
  readonly afterText: boolean;

  constructor(
    readonly code: ProviderFailureCode,
    message: string,
    how: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      retryAt?: number | undefined;
      afterText?: boolean | undefined;
      tooLong?: TooLong | undefined;
    },
  ) {
    super(message);
    this.retryable = how.retryable;
    this.afterText = how.afterText ?? false;
    if (how.tooLong) this.tooLong = how.tooLong;
    if (how.retryAt !== undefined) this.retryAt = how.retryAt;
    if (how.retryAfterMs !== undefined) this.retryAfterMs = how.retryAfterMs;
  }
}
