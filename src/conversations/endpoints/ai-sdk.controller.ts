import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { FORMATS } from '../../formats/registry.js';
import { STREAM, TakesFormat, TakesLastEventId } from '../../http/openapi-streams.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { lastQuestion } from '../last-question.js';
import type { OracleRequest } from '../oracle-request.js';
import { ChatStreams } from './chat-streams.js';
import { Streams } from './chat.openapi.js';
import {
  conversationIdSchema,
  messagesOf,
  onDisconnectSchema,
  topologyIdSchema,
} from './schemas.js';
import { Limited } from '../../http/limits/limited.js';
import { Requires } from '../../http/access/requires.js';

const TRIGGERS = ['submit-message', 'regenerate-message'] as const;

const useChatSchema = z
  .object({
    id: conversationIdSchema,
    messages: messagesOf(
      z.looseObject({ role: z.string(), parts: z.array(z.unknown()).nullish() }),
    ),
    trigger: z.enum(TRIGGERS, `must be one of ${TRIGGERS.join(', ')}`).nullish(),
    topologyId: topologyIdSchema.nullish(),
    onDisconnect: onDisconnectSchema.optional(),
  })
  .transform(({ id, messages, trigger, topologyId, onDisconnect }, issues): OracleRequest => ({
    message: lastQuestion(
      messages.map(({ role, parts }) => ({ role, content: parts })),
      issues,
    ),
    conversationId: id,
    topologyId: topologyId ?? undefined,
    again: trigger === 'regenerate-message' ? true : undefined,
    onDisconnect,
  }));

const EXAMPLE = {
  id: 'talk-1',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Is the shop healthy?' }] }],
};

/** `useChat` of the AI SDK. */
@ApiTags('conversations')
@Controller('api/chat')
@Requires('chat')
export class AiSdkController {
  constructor(private readonly streams: ChatStreams) {}

  @Post()
  @Limited('chats', 'streams')
  @Streams(
    'Ask the oracle as `useChat` does, in format `ai-sdk`; `regenerate-message` asks the last question again',
    { format: 'ai-sdk', body: useChatSchema, example: EXAMPLE },
  )
  chat(
    @Body(new ZodPipe(useChatSchema)) turn: OracleRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.stream(response, 'ai-sdk', turn);
  }

  @Get(':id/stream')
  @Limited('streams')
  @ApiOperation({ summary: 'The turn of a conversation that is running, from its beginning' })
  @TakesFormat(FORMATS, 'ai-sdk')
  @TakesLastEventId('Continue after the frame with this `id`')
  @ApiResponse(STREAM)
  @ApiResponse({ status: 204, description: 'No turn of the conversation is running' })
  resume(@Param('id') id: string, @Res() response: Response): Promise<void> {
    return this.streams.resume(response, 'ai-sdk', id);
  }
}
