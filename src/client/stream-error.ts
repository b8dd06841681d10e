import { ConsiliumError } from '../domain/errors.js';
import type { NamedEvent } from '../domain/events/event.js';

/** Trouble of a stream, as a person may be told of it. */
export interface StreamTrouble {
  message: string;
  code: string;
  /** Whether it may help to send the same again. That is for a person to decide: nothing is ever sent again by itself. */
  retryable: boolean;
}

/** The service has refused a turn after the stream had begun: its only frame is an error. */
export class StreamError extends Error {
  override readonly name = 'StreamError';

  constructor(readonly trouble: StreamTrouble) {
    super(trouble.message);
  }
}

const PASSING = new Set(['UNAVAILABLE', 'RATE_LIMITED']);

/** What an error of this library, or any other, means to a person. */
export function troubleOf(error: unknown): StreamTrouble {
  if (error instanceof StreamError) return error.trouble;
  if (error instanceof ConsiliumError)
    return { message: error.message, code: error.code, retryable: PASSING.has(error.code) };
  return {
    message: error instanceof Error ? error.message : String(error),
    code: 'CLIENT_ERROR',
    retryable: false,
  };
}

/** What an event says of the failure of its run; undefined where it says nothing of the kind. */
export function failureOf(event: NamedEvent): StreamTrouble | undefined {
  if (event.name !== 'lifecycle.failed') return undefined;
  const { error: message, code, retryable } = event.data;
  return { message, code, retryable };
}
