import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { z } from 'zod';
import { success } from '../../domain/envelope.js';
import { callerOf } from '../../http/caller.js';
import { bodyOf, TakesJson } from './chat.openapi.js';
import { Conversations } from '../conversations.js';
import { parseBody, shortText } from './parse-body.js';

const number = (least: number, most: number, message: string) =>
  z
    .string(message)
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .pipe(z.int().min(least, message).max(most, message));
const listSchema = z.object({
  limit: number(1, 200, 'must be an integer from 1 to 200').default(50),
  cursor: number(0, 1_000_000, 'must be the nextCursor of a page').default(0),
});
const forkSchema = z.object({ nodeId: shortText(200, 'must be the id of a node of the tree') });

/** The console. */
@ApiTags('conversations')
@Controller('conversations')
export class ConversationsController {
  constructor(private readonly conversations: Conversations) {}

  @Get()
  @ApiOperation({ summary: "The caller's conversations, newest first" })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  })
  @ApiQuery({ name: 'cursor', required: false, description: '`nextCursor` of the page before' })
  @ApiResponse({
    status: 200,
    description: '`data: {items: [{id, title, head, createdAt, updatedAt}], nextCursor}`',
  })
  @ApiResponse({ status: 400, description: 'VALIDATION_FAILED' })
  async list(@Query() query: unknown, @Req() request: Request) {
    const { limit, cursor } = parseBody(listSchema, query);
    return success(await this.conversations.list(callerOf(request), cursor, limit));
  }

  @Get(':id')
  @ApiOperation({ summary: 'A conversation with the messages of its current path' })
  @ApiResponse({ status: 200, description: '`data: {id, title, head, messages}`' })
  @ApiResponse({ status: 404, description: 'NOT_FOUND' })
  async show(@Param('id') id: string, @Req() request: Request) {
    return success(await this.conversations.show(id, callerOf(request)));
  }

  @Get(':id/tree')
  @ApiOperation({ summary: 'All exchanges of a conversation' })
  @ApiResponse({
    status: 200,
    description:
      '`data: {id, title, head, heads, nodes: [{id, parentId, runId, question, answer, status, partial}]}`',
  })
  @ApiResponse({ status: 404, description: 'NOT_FOUND' })
  async tree(@Param('id') id: string, @Req() request: Request) {
    return success(await this.conversations.tree(id, callerOf(request)));
  }

  @Post(':id/fork')
  @HttpCode(200)
  @ApiOperation({ summary: 'Go on from an earlier exchange' })
  @ApiBody(bodyOf(forkSchema))
  @TakesJson()
  @ApiResponse({ status: 200, description: '`data: {id, title, head, messages}`' })
  @ApiResponse({ status: 404, description: 'NOT_FOUND' })
  async fork(@Param('id') id: string, @Body() body: unknown, @Req() request: Request) {
    return success(
      await this.conversations.fork(id, callerOf(request), parseBody(forkSchema, body).nodeId),
    );
  }
}
