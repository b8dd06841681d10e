import { HttpException } from '@nestjs/common';
import type { Request } from 'express';
import { ConsiliumError, type ErrorCode } from '../domain/errors.js';
import { deniedAccess, isStoreFailure } from '../redis/store-failure.js';
import { invalid } from './parse.js';
import { unknownPath, wrongMethod } from './unknown-path.js';

export const STATUS_OF: Record<ErrorCode, number> = {
  VALIDATION_FAILED: 400,
  INVALID_EVENT_ID: 400,
  TOPOLOGY_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CANCEL_FAILED: 409,
  APPROVAL_CLOSED: 409,
  TOPOLOGY_EXISTS: 409,
  RUN_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  MISDIRECTED: 421,
  IDEMPOTENCY_KEY_REUSED: 422,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  FEATURE_DISABLED: 403,
  FORBIDDEN_ORIGIN: 403,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
};

const notReady = () =>
  new ConsiliumError(
    'UNAVAILABLE',
    'The service is not ready: Redis does not reply or cannot be used. The log of the service has the reason',
    { retryAfterSeconds: 5 },
  );

const unavailable = (cause: Error) =>
  new ConsiliumError(
    'UNAVAILABLE',
    deniedAccess(cause)
      ? 'The store denies the service access. The log of the service has the reason'
      : 'The store is unavailable; try again later',
    { retryAfterSeconds: 5, cause },
  );

/** Errors that Nest throws. */
function fromStatus(status: number, request: Request): ConsiliumError | undefined {
  if (status === 400) return invalid([{ path: 'path', message: 'could not be decoded' }]);
  if (status === 404) return unknownPath(request);
  // Not ready, as @nestjs/terminus reports it.
  return status === 503 ? notReady() : undefined;
}

/** Errors for a path with an id that hide that the path is also a route, with other methods. */
const TAKEN_FOR_IDS: ReadonlySet<ErrorCode> = new Set(['RUN_NOT_FOUND', 'VALIDATION_FAILED']);

/** The error for the client. Undefined: an internal fault, which is logged and not shown. */
export function toConsiliumError(error: unknown, request: Request): ConsiliumError | undefined {
  if (error instanceof ConsiliumError)
    return (TAKEN_FOR_IDS.has(error.code) && wrongMethod(request)) || error;
  if (!(error instanceof Error)) return undefined;
  if (isStoreFailure(error)) return unavailable(error);
  return error instanceof HttpException ? fromStatus(error.getStatus(), request) : undefined;
}
