import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { FORMATS } from '../../formats/registry.js';
import { Refuses } from '../../http/openapi.js';
import { toSchema } from '../../http/openapi-errors.js';
import {
  STARTED_HEADERS,
  STARTED_STREAM,
  STREAM,
  TakesFormat,
  TakesIdempotencyKey,
  TakesLastEventId,
} from '../../http/openapi-streams.js';
import { accepted, eventPage, runCard } from './run-views.js';
import { TriggerRequest } from './trigger-request.js';

const envelope = (data: z.ZodType) =>
  toSchema(z.object({ code: z.literal('SUCCESS'), message: z.string(), data }), 'output');

const FormatQuery = () => TakesFormat(FORMATS, 'STREAM_FORMAT');

/** `POST /executions/trigger` */
export const DescribesTrigger = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Start a diagnosis',
      description:
        'With `Accept: application/json`, returns 202 and the id. Otherwise streams the run from its first event to its last.',
    }),
    ApiBody({ type: TriggerRequest }),
    TakesIdempotencyKey(),
    TakesLastEventId('With the key: continue after the frame of this `id`'),
    FormatQuery(),
    ApiProduces('text/event-stream', 'application/json'),
    ApiResponse(STARTED_STREAM),
    ApiResponse({
      status: 202,
      description: 'The run is accepted',
      headers: STARTED_HEADERS,
      content: { 'application/json': { schema: envelope(accepted) } },
    }),
    Refuses('TOPOLOGY_NOT_FOUND'),
  );

/** `GET /executions/{runId}/events` */
export const DescribesEvents = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'The log of a run, after a cursor',
      description:
        'As an event stream that continues live until the run ends, or as one page of JSON.',
    }),
    ApiProduces('text/event-stream', 'application/json'),
    TakesLastEventId('Continue after the frame with this `id`; takes precedence over `after`'),
    ApiQuery({
      name: 'after',
      required: false,
      schema: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
      description: 'The `id` of a frame, or 0',
    }),
    ApiQuery({
      name: 'ticket',
      required: false,
      schema: { type: 'string' },
      description: 'Of `POST /stream-tickets`, for clients that cannot send headers',
    }),
    ApiQuery({
      name: 'before',
      required: false,
      schema: { type: 'integer', minimum: 1 },
      description:
        'Of a JSON page: the last events before this sequence, instead of those after a cursor',
    }),
    ApiQuery({
      name: 'dispatch',
      required: false,
      schema: { type: 'string' },
      description:
        'Of a JSON page: only the events that name this dispatch. A page may be short, or empty, and have a `nextAfter`',
    }),
    FormatQuery(),
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      description: 'Events of a JSON page',
    }),
    ApiResponse({
      ...STREAM,
      content: { ...STREAM.content, 'application/json': { schema: envelope(eventPage) } },
    }),
    ApiResponse({
      status: 204,
      description: 'The cursor is the terminal event: there are no more events',
    }),
    Refuses('RUN_NOT_FOUND'),
  );

/** `GET /executions/changes` */
export const DescribesChanges = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'The list of runs, as a stream of changes',
      description:
        'A frame `run` for each run that was accepted, went on or ended since the last one, about once a second. There is no ' +
        'cursor: after a connection was lost, open the stream and then read the list again.',
    }),
    ApiProduces('text/event-stream'),
    ApiResponse({
      status: 200,
      description: 'Frames `run`, whose data is an item of `GET /executions`',
      content: { 'text/event-stream': { schema: toSchema(runCard, 'output') } },
    }),
  );
