import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { callerOf } from '../../http/caller.js';
import { Streams } from './chat.openapi.js';
import { ChatStreams } from './chat-streams.js';
import { Conversations, type ChatMessage } from '../conversations.js';
import { conversationIdSchema, messageSchema, parseBody, topologyIdSchema } from './parse-body.js';

const contentSchema = z.object({ content: messageSchema, topology_id: topologyIdSchema.nullish() });
const idSchema = z.object({ id: conversationIdSchema });

/** The agent chat: seed 001. */
@ApiTags('conversations')
@Controller('api/v1/conversations')
export class AgentConversationsController {
  constructor(
    private readonly streams: ChatStreams,
    private readonly conversations: Conversations,
  ) {}

  @Post(':id/stream')
  @Streams(
    'Ask the oracle, in format `agent`; an id that nobody has used begins a conversation',
    contentSchema,
  )
  async stream(
    @Param('id') id: string,
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { id: conversationId } = parseBody(idSchema, { id });
    const { content, topology_id } = parseBody(contentSchema, body);
    await this.streams.stream(request, response, 'agent', {
      message: content,
      conversationId,
      topologyId: topology_id ?? undefined,
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'The messages of a conversation: how a client recovers after an error' })
  @ApiResponse({ status: 200, description: '`{data: {messages}}`' })
  @ApiResponse({ status: 404, description: 'NOT_FOUND' })
  async show(
    @Param('id') id: string,
    @Req() request: Request,
  ): Promise<{ data: { messages: ChatMessage[] } }> {
    const conversation = await this.conversations.get(id, callerOf(request));
    return { data: { messages: await this.conversations.messages(conversation) } };
  }
}
