import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiResponse,
  type ApiBodyOptions,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { z } from 'zod';
import { FORMATS } from '../../formats/registry.js';

/** A body, from the schema that checks it. */
export function bodyOf(type: z.ZodType): ApiBodyOptions {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
  });
  return { schema: schema as Extract<ApiBodyOptions, { schema: unknown }>['schema'] };
}

export const STREAM: ApiResponseOptions = {
  status: 200,
  description:
    'The turn as an event stream, closed after its end; its frames are described at /docs/asyncapi.json',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};

/** What every endpoint may answer that takes a body, and what one that is not right gets. */
export const TakesJson = (): MethodDecorator =>
  applyDecorators(
    ApiResponse({ status: 400, description: 'VALIDATION_FAILED: `data.errors` names every fault' }),
    ApiResponse({ status: 413, description: 'PAYLOAD_TOO_LARGE' }),
    ApiResponse({ status: 415, description: 'UNSUPPORTED_MEDIA_TYPE' }),
    ApiResponse({ status: 503, description: 'UNAVAILABLE, with Retry-After' }),
  );

/** Describes an endpoint that takes a message to the oracle and streams its turn. */
export const Streams = (summary: string, body: z.ZodType, description = ''): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary, description }),
    ApiBody(bodyOf(body)),
    ApiProduces('text/event-stream'),
    ApiResponse(STREAM),
    TakesJson(),
    ApiQuery({
      name: 'format',
      required: false,
      enum: FORMATS,
      description: 'Of the event stream, instead of the one of this endpoint',
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'The same key and body joins the same turn, for 24 h',
    }),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'With the key: go on after the frame of this `id`',
    }),
    ApiResponse({ status: 403, description: 'FEATURE_DISABLED: the oracle is switched off' }),
    ApiResponse({
      status: 404,
      description:
        "NOT_FOUND: no such conversation or exchange, or another caller's; TOPOLOGY_NOT_FOUND",
    }),
    ApiResponse({
      status: 410,
      description: 'RUN_EXPIRED: the turn that this key resumes is no longer kept',
    }),
    ApiResponse({ status: 422, description: 'IDEMPOTENCY_KEY_REUSED: with another body' }),
    ApiResponse({
      status: 429,
      description: 'RATE_LIMITED: no messages are left in this month; with Retry-After',
    }),
  );
