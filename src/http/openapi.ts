import { applyDecorators, HttpCode, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiParam, ApiQuery, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { STATUS_OF } from './to-consilium-error.js';

type Schema = Extract<ApiResponseOptions, { schema: unknown }>['schema'];

/** The OpenAPI 3.0 schema of a zod schema. @param io `input` for what clients send, `output` for what they get */
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

/** The answer of a method: what it returns, in the envelope. */
export const Answers = (
  data: z.ZodType,
  { status = 200, description = '', message = 'OK' }: AnswerOptions = {},
): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    described(status, description, data, z.literal('SUCCESS')),
    UseInterceptors(new EnvelopeInterceptor(message)),
  );

/** The answer of a method, as it is: for the paths of other services' clients. */
export const AnswersPlain = (data: z.ZodType, description = '', status = 200): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiResponse({ status, description, schema: toSchema(data, 'output') }),
  );

const faults = z.object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) });

const MEANINGS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: '`data.errors` names every fault',
  INVALID_EVENT_ID: 'the cursor is no id of a frame, or is past the end',
  NOT_FOUND: "there is none, or it is another caller's",
  RUN_NOT_FOUND: "there is no such run, or it is another caller's chat",
  CANCEL_FAILED: 'it has completed or failed',
  RUN_EXPIRED: 'the log is no longer kept, or the store has lost what the cursor stands for',
  IDEMPOTENCY_KEY_REUSED: 'with another body',
  RATE_LIMITED: 'with Retry-After',
  UNAVAILABLE: 'with Retry-After',
  FEATURE_DISABLED: 'the oracle is switched off',
};

/** Errors that a method may answer, by their codes. */
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

/** A body, from the schema that checks it, and the errors of every method that takes one. */
export const Takes = (body: z.ZodType): MethodDecorator =>
  applyDecorators(ApiBody({ schema: toSchema(body, 'input') }), TakesJson());

/** Errors of every method that takes a body. */
export const TakesJson = (): MethodDecorator =>
  Refuses('VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNAVAILABLE');

/** A query, each key from the schema that checks it. */
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

/** A parameter of the path, from the schema that checks it. */
export const TakesParam = (name: string, type: z.ZodType): MethodDecorator =>
  ApiParam({ name, schema: toSchema(type, 'input') });

/** An event stream, as the answer of a method that writes it itself. */
export const STREAM: ApiResponseOptions = {
  status: 200,
  description:
    'An event stream, closed after its end; its frames are described at /docs/asyncapi.json',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};
