import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { ZodPipe } from '../../http/zod-pipe.js';
import { readContextId } from '../conversation.js';
import { cutContext } from '../cut-context.js';
import type { OracleRequest } from '../oracle-request.js';
import { ChatStreams } from './chat-streams.js';
import { Streams } from './chat.openapi.js';
import {
  contextIdSchema,
  conversationIdSchema,
  messageSchema,
  onDisconnectSchema,
  runIdSchema,
  topologyIdSchema,
} from './schemas.js';
import { Limited } from '../../http/limits/limited.js';
import { Requires } from '../../http/access/requires.js';

const chatSchema = z
  .object({
    message: messageSchema,
    session_id: conversationIdSchema.nullish(),
    /** Goes on from this exchange, instead of from the latest of the session. */
    context_id: contextIdSchema.nullish(),
    topology_id: topologyIdSchema.nullish(),
    run_id: runIdSchema.nullish(),
    /** What the person is looking at: a text, or any JSON. */
    context: z.unknown().optional(),
    onDisconnect: onDisconnectSchema.optional(),
  })
  .refine(
    ({ session_id, context_id }) =>
      !session_id || !context_id || readContextId(context_id).conversationId === session_id,
    { path: ['context_id'], error: 'must belong to the conversation that session_id names' },
  )
  .transform(
    ({
      message,
      session_id,
      context_id,
      topology_id,
      run_id,
      context,
      onDisconnect,
    }): OracleRequest => ({
      message,
      conversationId: session_id ?? undefined,
      ...(context_id && readContextId(context_id)),
      topologyId: topology_id ?? undefined,
      runId: run_id ?? undefined,
      context: contextText(context),
      onDisconnect,
    }),
  );

function contextText(context: unknown): string | undefined {
  if (context === undefined || context === null) return undefined;
  return cutContext(typeof context === 'string' ? context : JSON.stringify(context));
}

/** Chat widgets: docs/front-ends.md. */
@ApiTags('conversations')
@Controller('chat')
@Requires('chat')
export class ChatController {
  constructor(private readonly streams: ChatStreams) {}

  @Post('stream')
  @Limited('chats', 'streams')
  @Streams(
    'Ask the oracle, in format `chat`',
    {
      format: 'chat',
      body: chatSchema,
      example: { message: 'Is the shop healthy?', topology_id: 1 },
    },
    'In that format `rate_limit_exceeded`, `not_found` and `feature_disabled` come as the only event of a 200 stream.',
  )
  stream(
    @Body(new ZodPipe(chatSchema)) turn: OracleRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.stream(response, 'chat', turn);
  }
}
