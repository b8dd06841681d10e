import { HttpException } from '@nestjs/common';
import { ConsiliumError, type ErrorCode } from '../domain/errors.js';

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
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
};

/** What ioredis and Redis say when the store, not the request, is the trouble. */
const STORE_TROUBLE =
  /^(OOM|LOADING|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|BUSY) |Command timed out|Connection is closed|ECONNREFUSED|ECONNRESET|max retries/i;

const fault = (path: string, message: string) =>
  new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults: [{ path, message }] });

/** The body parser's errors by their `type` (the `http-errors` that express' parser throws). */
function fromBodyParser(type: string): ConsiliumError | undefined {
  if (type === 'entity.too.large') return new ConsiliumError('PAYLOAD_TOO_LARGE', 'The body is larger than 1 MB');
  if (type === 'entity.parse.failed') return fault('body', 'must be JSON: it could not be parsed');
  if (type.startsWith('charset.') || type.startsWith('encoding.'))
    return new ConsiliumError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8, at most gzip-encoded');
  return type.startsWith('entity.') || type.startsWith('request.') ? fault('body', 'could not be read') : undefined;
}

/** What a client is told of any error. Undefined: a fault of ours, to be logged, of which it is told nothing. */
export function toConsiliumError(error: unknown, request: { method: string; path: string }): ConsiliumError | undefined {
  if (error instanceof ConsiliumError) return error;
  if (!(error instanceof Error)) return undefined;
  const type = 'type' in error ? String(error.type) : '';
  const parsed = fromBodyParser(type);
  if (parsed) return parsed;
  if (error instanceof HttpException && error.getStatus() === 404)
    return new ConsiliumError('NOT_FOUND', `There is no ${request.method} ${request.path}`);
  const status = error instanceof HttpException ? error.getStatus() : 'status' in error ? Number(error.status) : 500;
  if (error instanceof URIError || status === 400) return fault('path', 'could not be decoded');
  if (STORE_TROUBLE.test(error.message))
    return new ConsiliumError('UNAVAILABLE', 'The store is not available at the moment; try again', { retryAfterSeconds: 5, cause: error });
  return undefined;
}
