import { applyDecorators, Header, HttpCode, UseInterceptors } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiParam,
  ApiQuery,
  ApiResponse,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { STATUS_OF } from './to-consilium-error.js';

type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

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

const described = (status: number, description: string, data: z.ZodType, code: z.ZodType) =>
  ApiResponse({
    status,
    description,
    schema: toSchema(z.object({ code, message: z.string(), data }), 'output'),
  });

interface AnswerOptions {
  status?: number;
  description?: string;
  /** `message` of the envelope. */
  message?: string;
}

/** Documents the response of a method, in the envelope. */
export const Answers = (
  data: z.ZodType,
  { status = 200, description = '', message = 'OK' }: AnswerOptions = {},
): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    described(status, description, data, z.literal('SUCCESS')),
    UseInterceptors(new EnvelopeInterceptor(message)),
  );

/**
 * A list that clients poll: they may keep it, and ask with `If-None-Match` whether it has changed. The `ETag` is a digest of the
 * answer, made by Express.
 */
export const Revalidated = (): MethodDecorator =>
  applyDecorators(
    Header('Cache-Control', 'private, no-cache'),
    ApiHeader({ name: 'If-None-Match', required: false, description: 'An `ETag` of this list' }),
    ApiResponse({ status: 304, description: 'Nothing has changed since' }),
  );

/** Documents a response without an envelope, for the paths that clients of other services use. */
export const AnswersPlain = (data: z.ZodType, description = '', status = 200): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiResponse({ status, description, schema: toSchema(data, 'output') }),
  );

const faults = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: '`data.errors` names every fault',
  INVALID_EVENT_ID: 'the cursor is not the id of a frame, or is after the end',
  NOT_FOUND: 'it does not exist, or belongs to another caller',
  RUN_NOT_FOUND: 'the run does not exist, or is a chat of another caller',
  CANCEL_FAILED: 'it has completed or failed',
  APPROVAL_CLOSED: 'it was decided before, has expired, or its run has ended',
  RUN_EXPIRED: 'the log was deleted, or has lost events up to the cursor',
  IDEMPOTENCY_KEY_REUSED: 'the key was used with another body',
  RATE_LIMITED: 'with Retry-After',
  UNAVAILABLE: 'with Retry-After',
  FEATURE_DISABLED: 'the oracle is switched off',
};

/** Documents the error codes of a method. */
export function Refuses(...codes: ErrorCode[]): MethodDecorator {
  const statuses = [...new Set(codes.map((code) => STATUS_OF[code]))];
  return applyDecorators(
    ...statuses.map((status) => {
      const alike = codes.filter((code) => STATUS_OF[code] === status);
      const description = alike
        .map((code) => [code, MEANINGS[code]].filter(Boolean).join(': '))
        .join('; ');
      const data = alike.includes('VALIDATION_FAILED')
        ? faults.nullable()
        : z.looseObject({}).nullable();
      return described(status, description, data, z.enum(alike));
    }),
  );
}

/** Documents a body by the schema that checks it, and the errors of every method with a body. */
export const Takes = (body: z.ZodType): MethodDecorator =>
  applyDecorators(ApiBody({ schema: toSchema(body, 'input') }), TakesJson());

/** Documents the errors of every method with a body. */
export const TakesJson = (): MethodDecorator =>
  Refuses('VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNAVAILABLE');

/** Documents a query, each key by the schema that checks it. */
export const TakesQuery = (query: z.ZodObject): MethodDecorator =>
  applyDecorators(
    ...Object.entries(query.shape as Record<string, z.ZodType>).map(([name, type]) =>
      ApiQuery({
        name,
        required: false,
        ...(type.description !== undefined && { description: type.description }),
        schema: toSchema(type, 'input'),
      }),
    ),
    Refuses('VALIDATION_FAILED'),
  );

/** Documents a path parameter by the schema that checks it. */
export const TakesParam = (name: string, type: z.ZodType): MethodDecorator =>
  ApiParam({ name, schema: toSchema(type, 'input') });

/** The response of a method that writes an event stream. */
export const STREAM: ApiResponseOptions = {
  status: 200,
  description: 'An event stream that ends with the run; /docs/asyncapi.json describes its frames',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};
