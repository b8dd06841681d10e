import type { ApiResponseOptions } from '@nestjs/swagger';
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.js';
import { STATUS_OF } from './to-consilium-error.js';

export type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

/**
 * The OpenAPI 3.0 schema of a zod schema.
 * @param io `input` for requests, `output` for responses
 */
export function toSchema(type: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
  });
  return schema as Schema;
}

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: '`data.errors` names every fault',
  INVALID_EVENT_ID: 'the cursor is not the id of an event, or is after the end',
  UNAUTHENTICATED: 'no credential, or one that is not valid',
  FORBIDDEN: 'the role of the caller does not allow it',
  FORBIDDEN_ORIGIN: 'a page of another origin sent it; ALLOWED_ORIGINS names those that may',
  NOT_FOUND: 'it does not exist, or belongs to another caller',
  RUN_NOT_FOUND: 'the run does not exist, or is a chat of another caller',
  CANCEL_FAILED: 'it has completed or failed',
  APPROVAL_CLOSED: 'it was decided before, has expired, or its run has ended',
  RUN_EXPIRED: 'the log was deleted, or has lost events up to the cursor',
  PAYLOAD_TOO_LARGE: 'the body is larger than the path takes',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not JSON in UTF-8',
  IDEMPOTENCY_KEY_REUSED: 'the key was used with another body',
  RATE_LIMITED: 'with Retry-After',
  UNAVAILABLE: 'with Retry-After',
  FEATURE_DISABLED: 'the oracle is switched off',
};

const faults = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

/** Describes a header of a response. */
export const describeHeader = (
  description: string,
  type: 'string' | 'integer' = 'string',
): { description: string; schema: { type: 'string' | 'integer' } } => ({
  description,
  schema: { type },
});
const RETRY_AFTER = {
  'Retry-After': describeHeader('Seconds after which to try again', 'integer'),
};
const HEADERS: Record<number, Record<string, ReturnType<typeof describeHeader>>> = {
  401: { 'WWW-Authenticate': describeHeader('`Bearer`') },
  429: {
    ...RETRY_AFTER,
    RateLimit: describeHeader(
      'If a rate or the limit of a day was exceeded: its name, what is left, and when it begins anew',
    ),
    'RateLimit-Policy': describeHeader(
      'If a rate or the limit of a day was exceeded: its name, quota and window',
    ),
  },
  503: RETRY_AFTER,
};

/** Describes an error with one of some codes of the same status, in the envelope. */
function describeError(status: number, codes: readonly ErrorCode[]) {
  const data = codes.includes('VALIDATION_FAILED')
    ? faults.nullable()
    : z.looseObject({}).nullable();
  const envelope = z.object({ code: z.enum(codes), message: z.string(), data });
  return {
    description: codes.map((code) => [code, MEANINGS[code]].filter(Boolean).join(': ')).join('; '),
    ...(HEADERS[status] && { headers: HEADERS[status] }),
    content: { 'application/json': { schema: toSchema(envelope, 'output') } },
  };
}

/** Describes the errors with some codes, by their statuses. */
export function describeErrors(codes: readonly ErrorCode[]) {
  const statuses = [...new Set(codes.map((code) => STATUS_OF[code]))];
  return statuses.map((status) => ({
    status,
    ...describeError(
      status,
      codes.filter((code) => STATUS_OF[code] === status),
    ),
  }));
}

/** The error that any request may get. */
export const ANY_ERROR = {
  description:
    'Any other error: 400 for a request that cannot be read, 405 METHOD_NOT_ALLOWED with Allow, 408 REQUEST_TIMEOUT, ' +
    '417 EXPECTATION_FAILED, 421 MISDIRECTED for a `Host` that is not ours, 431 HEADERS_TOO_LARGE, 500 INTERNAL_ERROR',
  content: {
    'application/json': {
      schema: toSchema(
        z.object({ code: z.string(), message: z.string(), data: z.looseObject({}).nullable() }),
        'output',
      ),
    },
  },
};
