import type { ApiResponseOptions } from '@nestjs/swagger';
import { EVENT_NAMES } from '../../domain/events/event.js';
import { eventSchema } from '../../domain/events/event-schemas.js';
import type { JsonSchema } from '../../domain/json-schema.js';

/** OpenAPI 3.0 writes null and constants in a way of its own. */
function toOpenApi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApi);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, const: constant, ...rest } = schema as JsonSchema;
  const known = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, toOpenApi(value)]),
  );
  if (constant !== undefined) return { ...known, type: 'string', enum: [constant] };
  // Only ever "this, or null".
  if (Array.isArray(anyOf)) return { ...(toOpenApi(anyOf[0]) as object), nullable: true };
  return known;
}

const events = EVENT_NAMES.map((name) => toOpenApi(eventSchema(name)) as JsonSchema);

/** The log of a run, as a stream and as a page. */
export const EVENTS: ApiResponseOptions = {
  status: 200,
  description:
    'The event stream (its frames are described at /docs/asyncapi.json), or a page of events',
  content: {
    'text/event-stream': { schema: { type: 'string' } },
    'application/json': {
      schema: {
        type: 'object',
        required: ['code', 'message', 'data'],
        properties: {
          code: { type: 'string', enum: ['SUCCESS'] },
          message: { type: 'string' },
          data: {
            type: 'object',
            required: ['items', 'nextAfter'],
            properties: {
              items: { type: 'array', items: { oneOf: events } },
              nextAfter: { type: 'integer', nullable: true },
            },
          },
        },
      },
    },
  },
};
