import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiQuery } from '@nestjs/swagger';
import { Refuses } from './openapi.js';
import { describeHeader } from './openapi-errors.js';

/** Headers of the response to a method that starts or follows a run. */
const RUN_HEADERS = {
  'X-Run-Id': describeHeader('The id of the run'),
};
export const STARTED_HEADERS = {
  ...RUN_HEADERS,
  Location: describeHeader('The path of its events'),
};

/** The response of a method that writes the event stream of a run. */
export const STREAM = {
  status: 200,
  description: 'An event stream that ends with the run; /docs/asyncapi.json describes its frames',
  headers: RUN_HEADERS,
  content: { 'text/event-stream': { schema: { type: 'string' as const } } },
};
/** The same of a method that starts the run. */
export const STARTED_STREAM = { ...STREAM, headers: STARTED_HEADERS };

/** Documents the format of an event stream. */
export const TakesFormat = (formats: readonly string[], standard: string): MethodDecorator =>
  ApiQuery({
    name: 'format',
    required: false,
    enum: [...formats],
    description: `Of the event stream; default: ${standard}`,
  });

/** Documents how a stream is resumed. */
export const TakesLastEventId = (description: string): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'Last-Event-ID', required: false, description }),
    Refuses('INVALID_EVENT_ID', 'RUN_EXPIRED'),
  );

/** Documents a key with which a request may be repeated. */
export const TakesIdempotencyKey = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'A request with the same key and body within 24 h joins the same run',
    }),
    Refuses('IDEMPOTENCY_KEY_REUSED', 'RUN_EXPIRED'),
  );
