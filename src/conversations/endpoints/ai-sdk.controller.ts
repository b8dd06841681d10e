import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { callerOf } from '../../http/caller.js';
import { STREAM, Streams } from './chat.openapi.js';
import { ChatStreams } from './chat-streams.js';
import { ConversationStore } from '../conversation-store.js';
import { Exchanges } from '../exchanges.js';
import { lastQuestion } from '../last-question.js';
import { conversationIdSchema, messagesOf, parseBody, topologyIdSchema } from './parse-body.js';

const TRIGGERS = ['submit-message', 'regenerate-message'] as const;

const useChatSchema = z.object({
  id: conversationIdSchema,
  messages: messagesOf(z.looseObject({ role: z.string(), parts: z.array(z.unknown()).nullish() })),
  trigger: z.enum(TRIGGERS, `must be one of ${TRIGGERS.join(', ')}`).nullish(),
  topologyId: topologyIdSchema.nullish(),
});

/** `useChat` of the AI SDK. */
@ApiTags('conversations')
@Controller('api/chat')
export class AiSdkController {
  constructor(
    private readonly streams: ChatStreams,
    private readonly exchanges: Exchanges,
    private readonly store: ConversationStore,
  ) {}

  @Post()
  @Streams(
    'Ask the oracle as `useChat` does, in format `ai-sdk`; `regenerate-message` asks the last question again',
    useChatSchema,
  )
  async chat(
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { id, messages, trigger, topologyId } = parseBody(useChatSchema, body);
    await this.streams.stream(request, response, 'ai-sdk', {
      message: lastQuestion(messages.map(({ role, parts }) => ({ role, content: parts }))),
      conversationId: id,
      topologyId: topologyId ?? undefined,
      again: trigger === 'regenerate-message' ? true : undefined,
    });
  }

  @Get(':id/stream')
  @ApiOperation({ summary: 'The turn that is under way in a conversation, from its beginning' })
  @ApiResponse(STREAM)
  @ApiResponse({ status: 204, description: 'There is none' })
  async resume(
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const conversation = await this.store.get(id, callerOf(request));
    await this.streams.resume(
      request,
      response,
      'ai-sdk',
      conversation && (await this.exchanges.running(conversation)),
    );
  }
}
