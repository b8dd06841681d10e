import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProduces, ApiResponse, type ApiBodyOptions, type ApiResponseOptions } from '@nestjs/swagger';
import { z } from 'zod';

/** A body, from the schema that checks it. */
export function bodyOf(type: z.ZodType): ApiBodyOptions {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' });
  return { schema: schema as Extract<ApiBodyOptions, { schema: unknown }>['schema'] };
}

export const STREAM: ApiResponseOptions = {
  status: 200,
  description: 'The turn as an event stream, closed after its end; its frames are described at /docs/asyncapi.json',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};

/** Describes an endpoint that takes a message to the oracle and streams its turn. */
export const Streams = (summary: string, body: z.ZodType, description = ''): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary, description }),
    ApiBody(bodyOf(body)),
    ApiProduces('text/event-stream'),
    ApiResponse(STREAM),
    ApiResponse({ status: 400, description: 'VALIDATION_FAILED: `data.errors` names every fault' }),
    ApiResponse({ status: 404, description: "NOT_FOUND: no such conversation or exchange, or another caller's; TOPOLOGY_NOT_FOUND" }),
    ApiResponse({ status: 429, description: 'RATE_LIMITED: no messages are left in this month; with Retry-After' }),
  );
