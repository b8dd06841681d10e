import type { JsonObject } from '../lib/json.js';

/** Error codes of the JSON envelope (contract sections 3 and 4). */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'TOPOLOGY_NOT_FOUND'
  | 'TOPOLOGY_EXISTS'
  | 'RUN_NOT_FOUND'
  | 'RUN_EXPIRED'
  | 'NOT_FOUND'
  | 'CANCEL_FAILED'
  | 'APPROVAL_CLOSED'
  | 'INVALID_EVENT_ID'
  | 'EXPECTATION_FAILED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'PAYLOAD_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'FEATURE_DISABLED'
  | 'METHOD_NOT_ALLOWED'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'FORBIDDEN_ORIGIN'
  | 'MISDIRECTED'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

/**
 * A fault of an input: its path (`teams[0].workers[1].tools[0]`), and what is wrong and what is
 * allowed.
 */
export interface Fault {
  path: string;
  message: string;
}

/**
 * The error of this service: a code for programs, a message for people, and the faults of an
 * invalid input.
 */
export class ConsiliumError extends Error {
  override readonly name = 'ConsiliumError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly options: {
      faults?: Fault[];
      retryAfterSeconds?: number;
      /** Response headers in addition to `Retry-After`. */
      headers?: Record<string, string>;
      cause?: unknown;
      details?: JsonObject;
      /** The limit that refused the request, one of a few names: for metrics. */
      limit?: string;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }

  /** The faults of an invalid input; otherwise empty. */
  get faults(): readonly Fault[] {
    return this.options.faults ?? [];
  }
}

/**
 * A call that the person has not asked for or may not make. Its message tells a model what to
 * answer.
 */
export class RefusedError extends Error {
  readonly code = 'REFUSED';
}
