import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiResponse,
} from '@nestjs/swagger';
import { z } from 'zod';
import { FORMATS } from '../../formats/registry.js';
import { Refuses, STREAM, TakesJson, toSchema } from '../../http/openapi.js';
import { accepted, eventPage } from './run-views.js';
import { TriggerRequest } from './trigger-request.js';

const envelope = (data: z.ZodType) =>
  toSchema(z.object({ code: z.literal('SUCCESS'), message: z.string(), data }), 'output');

const FORMAT = {
  name: 'format',
  required: false,
  enum: FORMATS,
  description: 'Of the event stream; default: STREAM_FORMAT',
};

/** `POST /executions/trigger` */
export const DescribesTrigger = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Start a diagnosis',
      description:
        'With `Accept: application/json`: 202 and the id. Else the run as an event stream, from its first event to its last.',
    }),
    ApiBody({ type: TriggerRequest }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: 'The same key and body joins the same run, for 24 h',
    }),
    ApiQuery(FORMAT),
    ApiProduces('text/event-stream', 'application/json'),
    ApiResponse(STREAM),
    ApiResponse({
      status: 202,
      description: 'The run is accepted',
      content: { 'application/json': { schema: envelope(accepted) } },
    }),
    TakesJson(),
    Refuses('TOPOLOGY_NOT_FOUND', 'RUN_EXPIRED', 'IDEMPOTENCY_KEY_REUSED'),
  );

/** `GET /executions/{runId}/events` */
export const DescribesEvents = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'The log of a run, after a cursor',
      description: 'As an event stream, then live, until the run ends; or a page as JSON.',
    }),
    ApiProduces('text/event-stream', 'application/json'),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'Go on after the frame of this `id`; wins over `after`',
    }),
    ApiQuery({ name: 'after', required: false, description: 'A sequence, or 0' }),
    ApiQuery(FORMAT),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      description: 'Of a JSON page',
    }),
    ApiResponse({
      ...STREAM,
      content: { ...STREAM.content, 'application/json': { schema: envelope(eventPage) } },
    }),
    ApiResponse({
      status: 204,
      description: 'The cursor is the terminal event: nothing more is to come',
    }),
    Refuses('INVALID_EVENT_ID', 'VALIDATION_FAILED', 'RUN_NOT_FOUND', 'RUN_EXPIRED', 'UNAVAILABLE'),
  );
