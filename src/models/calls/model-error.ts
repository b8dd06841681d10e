import type { TooLong } from '../../domain/context/refused.js';
import type { FailedAttempt, ProviderTrouble } from '../../domain/provider/retry-policy.js';

/**
 * The one way that a model call fails, whatever went wrong at whichever provider. The message is for a person, names the
 * setting that would help, and holds no key, header or id of the provider's.
 */
export class ModelError extends Error implements FailedAttempt {
  override readonly name = 'ModelError';
  readonly retryable: boolean;
  /** ms: what the provider asked for. */
  readonly retryAfterMs?: number;
  /** The prompt does not fit the model's window; what the provider said of that. */
  readonly tooLong?: TooLong;
  /** Some of the answer's text was given out before. */
  readonly afterText: boolean;

  constructor(
    readonly code: ProviderTrouble,
    message: string,
    how: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      afterText?: boolean | undefined;
      tooLong?: TooLong | undefined;
    },
  ) {
    super(message);
    this.retryable = how.retryable;
    this.afterText = how.afterText ?? false;
    if (how.tooLong) this.tooLong = how.tooLong;
    if (how.retryAfterMs !== undefined) this.retryAfterMs = how.retryAfterMs;
  }
}
