import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Streams } from './chat.openapi.js';
import { ChatStreams } from './chat-streams.js';
import { readContextId } from '../conversation.js';
import { cutContext } from '../cut-context.js';
import {
  contextIdSchema,
  conversationIdSchema,
  messageSchema,
  parseBody,
  topologyIdSchema,
} from './parse-body.js';

const chatSchema = z
  .object({
    message: messageSchema,
    session_id: conversationIdSchema.nullish(),
    /** Goes on from this exchange, instead of where the session stands. */
    context_id: contextIdSchema.nullish(),
    topology_id: topologyIdSchema.nullish(),
    /** What the person has before him: a text, or any JSON. */
    context: z.unknown().optional(),
  })
  .refine(
    ({ session_id, context_id }) =>
      !session_id || !context_id || readContextId(context_id).conversationId === session_id,
    {
      path: ['context_id'],
      error: 'must be of the conversation that session_id names',
    },
  );

/** Chat front ends: seed 004. */
@ApiTags('conversations')
@Controller('chat')
export class ChatController {
  constructor(private readonly streams: ChatStreams) {}

  @Post('stream')
  @Streams(
    'Ask the oracle, in format `chat`',
    chatSchema,
    'In that format `rate_limit_exceeded`, `not_found` and `feature_disabled` come as the only event of a 200 stream.',
  )
  async stream(
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { message, session_id, context_id, topology_id, context } = parseBody(chatSchema, body);
    await this.streams.stream(request, response, 'chat', {
      message,
      conversationId: session_id ?? undefined,
      ...(context_id && readContextId(context_id)),
      topologyId: topology_id ?? undefined,
      context: contextText(context),
    });
  }
}

function contextText(context: unknown): string | undefined {
  if (context === undefined || context === null) return undefined;
  return cutContext(typeof context === 'string' ? context : JSON.stringify(context));
}
