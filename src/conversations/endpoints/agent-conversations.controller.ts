import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { Caller } from '../../http/caller.js';
import { AnswersPlain, Refuses, Takes, TakesParam, TakesQuery } from '../../http/openapi.js';
import { pageLimit } from '../../http/page-query.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { Conversations } from '../conversations.js';
import { chatMessage, conversationCard } from '../conversation-views.js';
import { ChatStreams } from './chat-streams.js';
import { Streams } from './chat.openapi.js';
import {
  conversationIdSchema,
  messageOf,
  onDisconnectSchema,
  topologyIdSchema,
} from './schemas.js';
import { Limited } from '../../http/limits/limited.js';
import { Requires } from '../../http/access/requires.js';

const MOST_CHARACTERS = 50_000;

const contentSchema = z.object({
  content: messageOf(MOST_CHARACTERS),
  topology_id: topologyIdSchema.nullish(),
  onDisconnect: onDisconnectSchema.optional(),
});
const listSchema = z.object({ limit: pageLimit(200, 50) });
const newSchema = z.object({ title: z.string('must be a text').max(200).nullish() });
const agentCard = conversationCard
  .omit({ topologyId: true, createdAt: true, updatedAt: true, head: true })
  .extend({
    topology_id: z.int().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
  });
type Card = z.infer<typeof conversationCard>;

const toAgentCard = (card: Card): z.infer<typeof agentCard> => ({
  id: card.id,
  title: card.title,
  topology_id: card.topologyId,
  running: card.running,
  created_at: card.createdAt,
  updated_at: card.updatedAt,
});

/** The agent chat: docs/front-ends.md. */
@ApiTags('conversations')
@Controller('api/v1/conversations')
@Requires('chat')
export class AgentConversationsController {
  constructor(
    private readonly streams: ChatStreams,
    private readonly conversations: Conversations,
  ) {}

  @Get()
  @ApiOperation({ summary: "The caller's conversations, newest first" })
  @TakesQuery(listSchema)
  @AnswersPlain(z.object({ data: z.array(agentCard) }))
  async list(
    @Query(new ZodPipe(listSchema)) { limit }: z.infer<typeof listSchema>,
    @Caller() caller: string,
  ) {
    const { items } = await this.conversations.list(caller, 0, limit);
    return { data: items.map(toAgentCard) };
  }

  @Post()
  @ApiOperation({ summary: 'Create a conversation' })
  @Takes(newSchema, { title: 'Slow checkout' })
  @AnswersPlain(z.object({ data: agentCard }), '', 201)
  async create(
    @Body(new ZodPipe(newSchema.optional())) body: z.infer<typeof newSchema> | undefined,
    @Caller() caller: string,
  ) {
    return { data: toAgentCard(await this.conversations.create(caller, body?.title ?? '')) };
  }

  @Post(':id/stream')
  @TakesParam('id', conversationIdSchema)
  @Limited('chats', 'streams')
  @Streams('Ask the oracle, in format `agent`; an unused id begins a conversation', {
    format: 'agent',
    body: contentSchema,
    example: { content: 'What is broken right now?' },
  })
  stream(
    @Param('id', new ZodPipe(conversationIdSchema)) conversationId: string,
    @Body(new ZodPipe(contentSchema)) body: z.infer<typeof contentSchema>,
    @Res() response: Response,
  ): Promise<void> {
    const { content: message, topology_id, onDisconnect } = body;
    const turn = { message, conversationId, topologyId: topology_id ?? undefined, onDisconnect };
    return this.streams.stream(response, 'agent', turn);
  }

  @Get(':id')
  @ApiOperation({ summary: 'The messages of a conversation: how a client recovers after an error' })
  @AnswersPlain(z.object({ data: z.object({ messages: z.array(chatMessage) }) }))
  @Refuses('NOT_FOUND')
  async show(@Param('id') id: string, @Caller() caller: string) {
    const conversation = await this.conversations.get(id, caller);
    return { data: { messages: await this.conversations.messages(conversation) } };
  }
}
