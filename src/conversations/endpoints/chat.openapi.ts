import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { FORMATS } from '../../formats/registry.js';
import { Refuses, STREAM, Takes } from '../../http/openapi.js';

/** Describes an endpoint that takes a message to the oracle and streams its turn. */
export const Streams = (summary: string, body: z.ZodType, description = ''): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ApiOperation({ summary, description }),
    Takes(body),
    ApiProduces('text/event-stream'),
    ApiResponse(STREAM),
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
    Refuses(
      'FEATURE_DISABLED',
      'NOT_FOUND',
      'TOPOLOGY_NOT_FOUND',
      'RUN_EXPIRED',
      'IDEMPOTENCY_KEY_REUSED',
      'RATE_LIMITED',
    ),
  );
