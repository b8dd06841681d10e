import type { JsonObject } from '../lib/json.js';

/** What can go wrong between a client and the service; the `code` of the contract's JSON envelope (sections 3 and 4). */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'TOPOLOGY_NOT_FOUND'
  | 'TOPOLOGY_EXISTS'
  | 'RUN_NOT_FOUND'
  | 'RUN_EXPIRED'
  | 'NOT_FOUND'
  | 'CANCEL_FAILED'
  | 'INVALID_EVENT_ID'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'PAYLOAD_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'FEATURE_DISABLED'
  | 'METHOD_NOT_ALLOWED'
  | 'FORBIDDEN_ORIGIN'
  | 'MISDIRECTED'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

/** One fault of an input: where (`teams[0].workers[1].tools[0]`), and what is wrong and allowed. */
export interface Fault {
  path: string;
  message: string;
}

/** The one error of ours: a code that a client may switch on, a message for a person, and the faults of an input if it was that. */
export class ConsiliumError extends Error {
  override readonly name = 'ConsiliumError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly options: {
      faults?: Fault[];
      retryAfterSeconds?: number;
      /** Of the answer, beside `Retry-After`. */
      headers?: Record<string, string>;
      cause?: unknown;
      details?: JsonObject;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }

  /** What is wrong with an input, where that was it; else none. */
  get faults(): readonly Fault[] {
    return this.options.faults ?? [];
  }
}
