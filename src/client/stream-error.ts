import { ConsiliumError } from '../domain/errors.js';
import type { NamedEvent } from '../domain/events/event.js';

/** A failure of a stream, with a message for a person. */
export interface StreamFailure {
  message: string;
  code: string;
  /**
   * Whether a repetition may succeed. The client never repeats a message automatically: the person
   * decides.
   */
  retryable: boolean;
}

/** Thrown if the service refuses a turn after the stream has begun: its only frame is an error. */
export class StreamError extends Error {
  override readonly name = 'StreamError';

  constructor(readonly failure: StreamFailure) {
    super(failure.message);
  }
}

const PASSING = new Set(['UNAVAILABLE', 'RATE_LIMITED']);

/** Converts any error into a failure with a message for a person. */
export function toStreamFailure(error: unknown): StreamFailure {
  if (error instanceof StreamError) return error.failure;
  if (error instanceof ConsiliumError)
    return { message: error.message, code: error.code, retryable: PASSING.has(error.code) };
  return {
    message: error instanceof Error ? error.message : String(error),
    code: 'CLIENT_ERROR',
    retryable: false,
  };
}

/** Returns the failure that an event reports; undefined if it reports none. */
export function failureOf(event: NamedEvent): StreamFailure | undefined {
  if (event.name !== 'lifecycle.failed') return undefined;
  const { error: message, code, retryable } = event.data;
  return { message, code, retryable };
}
