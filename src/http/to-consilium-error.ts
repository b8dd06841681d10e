import { HttpException } from '@nestjs/common';
import { ConsiliumError, type ErrorCode } from '../domain/errors.js';
import { isStoreTrouble } from '../redis/store-trouble.js';

export const STATUS_OF: Record<ErrorCode, number> = {
  VALIDATION_FAILED: 400,
  INVALID_EVENT_ID: 400,
  TOPOLOGY_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  NOT_FOUND: 404,
  CANCEL_FAILED: 409,
  TOPOLOGY_EXISTS: 409,
  RUN_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  FEATURE_DISABLED: 403,
  FORBIDDEN_ORIGIN: 403,
  MISDIRECTED: 421,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
};

type Requested = { method: string; path: string };

const fault = (path: string, message: string) =>
  new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', {
    faults: [{ path, message }],
  });

/** What Nest refuses by itself. */
function fromStatus(status: number, { method, path }: Requested): ConsiliumError | undefined {
  switch (status) {
    case 400:
      return fault('path', 'could not be decoded');
    case 404:
      return new ConsiliumError('NOT_FOUND', `There is no ${method} ${path}`);
    case 503: // Readiness, which @nestjs/terminus refuses.
      return new ConsiliumError(
        'UNAVAILABLE',
        'The service is not ready: its store does not answer, or is not one that it can trust; its log says which',
        { retryAfterSeconds: 5 },
      );
    default:
      return undefined;
  }
}

/** What a client is told of any error. Undefined: a fault of ours, to be logged, of which it is told nothing. */
export function toConsiliumError(error: unknown, requested: Requested): ConsiliumError | undefined {
  if (error instanceof ConsiliumError) return error;
  if (!(error instanceof Error)) return undefined;
  if (isStoreTrouble(error))
    return new ConsiliumError(
      'UNAVAILABLE',
      'The store is not available at the moment; try again',
      { retryAfterSeconds: 5, cause: error },
    );
  return error instanceof HttpException ? fromStatus(error.getStatus(), requested) : undefined;
}
