import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { FORMATS, type Format } from '../../formats/registry.js';
import { Refuses, Takes } from '../../http/openapi.js';
import {
  STARTED_STREAM,
  TakesFormat,
  TakesIdempotencyKey,
  TakesLastEventId,
} from '../../http/openapi-streams.js';

interface EndpointRequest<Body extends z.ZodType> {
  /** The format of the endpoint. */
  format: Format;
  body: Body;
  example: z.input<Body>;
}

/** Describes an endpoint that takes a message to the oracle and streams its turn. */
export const Streams = <Body extends z.ZodType>(
  summary: string,
  { format, body, example }: EndpointRequest<Body>,
  description = '',
): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiOperation({ summary, description }),
    Takes(body, example),
    ApiProduces('text/event-stream'),
    ApiResponse(STARTED_STREAM),
    TakesFormat(FORMATS, format),
    TakesIdempotencyKey(),
    TakesLastEventId('With the key: continue after the frame of this `id`'),
    Refuses('FEATURE_DISABLED', 'NOT_FOUND', 'TOPOLOGY_NOT_FOUND'),
  );
