import { applyDecorators, Header, HttpCode, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { describeErrors, describeHeader, toSchema } from './openapi-errors.js';

interface AnswerOptions {
  status?: number;
  description?: string;
  /** `message` of the envelope. */
  message?: string;
  headers?: Record<string, ReturnType<typeof describeHeader>>;
}

/** Documents the response of a method, in the envelope. */
export const Answers = (
  data: z.ZodType,
  { status = 200, description = '', message = 'OK', headers = {} }: AnswerOptions = {},
): MethodDecorator =>
  applyDecorators(
    HttpCode(status),
    ApiResponse({
      status,
      description,
      headers,
      schema: toSchema(
        z.object({ code: z.literal('SUCCESS'), message: z.string(), data }),
        'output',
      ),
    }),
    UseInterceptors(new EnvelopeInterceptor(message)),
  );

/**
 * A list that clients poll: they may cache it, and ask with `If-None-Match` whether it has changed.
 * The `ETag` is a digest of the response, made by Express.
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

const CODES = Symbol('the error codes of a route');

/**
 * Documents the error codes of a method, besides those that follow from what it takes: see
 * `completeDocument`. Several of them add up.
 */
export const Refuses =
  (...codes: ErrorCode[]): MethodDecorator =>
  (target, key, descriptor) => {
    const route = descriptor.value as object;
    const before = (Reflect.getMetadata(CODES, route) as ErrorCode[] | undefined) ?? [];
    const all = [...new Set([...before, ...codes])];
    Reflect.defineMetadata(CODES, all, route);
    for (const error of describeErrors(all)) ApiResponse(error)(target, key, descriptor);
  };

/** Documents a body by the schema that checks it, with an example. */
export const Takes = <Body extends z.ZodType>(
  body: Body,
  example: z.input<Body>,
): MethodDecorator => ApiBody({ schema: { ...toSchema(body, 'input'), example } });

/** Documents a query, each key by the schema that checks it. */
export const TakesQuery = (query: z.ZodObject): MethodDecorator =>
  applyDecorators(
    ...Object.entries(query.shape as Record<string, z.ZodType>).map(([name, type]) =>
      ApiQuery({
        name,
        required: !type.safeParse(undefined).success,
        ...(type.description !== undefined && { description: type.description }),
        schema: toSchema(type, 'input'),
      }),
    ),
  );

/** Documents a path parameter by the schema that checks it. */
export const TakesParam = (name: string, type: z.ZodType): MethodDecorator =>
  ApiParam({ name, schema: toSchema(type, 'input') });
