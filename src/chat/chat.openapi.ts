import type { ApiBodyOptions, ApiResponseOptions } from '@nestjs/swagger';
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
