import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Caller } from '../../http/caller.js';
import { Answers, Refuses, Takes, TakesQuery } from '../../http/openapi.js';
import { integerText, pageLimit } from '../../http/page-query.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { Conversations } from '../conversations.js';
import {
  conversationCard,
  conversationPage,
  conversationTree,
  conversationView,
} from '../conversation-views.js';
import { shortText } from './schemas.js';
import { Requires } from '../../http/access/requires.js';

const listSchema = z.object({
  limit: pageLimit(200, 50),
  cursor: integerText(0, 1_000_000, 'must be the nextCursor of a page')
    .optional()
    .meta({ description: '`nextCursor` of the page before' }),
});
const LONGEST_TITLE = 200;
const renameSchema = z.object({ title: shortText(LONGEST_TITLE) });
const forkSchema = z.object({ nodeId: shortText(200, 'must be the id of a node of the tree') });

/** Conversations, for the console. Contract section 8. */
@ApiTags('conversations')
@Controller('conversations')
@Requires('chat')
export class ConversationsController {
  constructor(private readonly conversations: Conversations) {}

  @Get()
  @ApiOperation({ summary: "The caller's conversations, newest first" })
  @TakesQuery(listSchema)
  @Answers(conversationPage)
  list(
    @Query(new ZodPipe(listSchema)) { cursor = 0, limit }: z.infer<typeof listSchema>,
    @Caller() caller: string,
  ) {
    return this.conversations.list(caller, cursor, limit);
  }

  @Get(':id')
  @ApiOperation({ summary: 'A conversation with the messages of its current path' })
  @Answers(conversationView)
  @Refuses('NOT_FOUND')
  show(@Param('id') id: string, @Caller() caller: string) {
    return this.conversations.show(id, caller);
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Rename a conversation' })
  @Takes(renameSchema, { title: 'Slow checkout' })
  @Answers(conversationCard)
  @Refuses('NOT_FOUND')
  rename(
    @Param('id') id: string,
    @Body(new ZodPipe(renameSchema)) { title }: z.infer<typeof renameSchema>,
    @Caller() caller: string,
  ) {
    return this.conversations.rename(id, caller, title);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete a conversation; what is running in it is cancelled' })
  @Answers(z.object({ id: z.string() }))
  @Refuses('NOT_FOUND')
  remove(@Param('id') id: string, @Caller() caller: string) {
    return this.conversations.remove(id, caller);
  }

  @Get(':id/tree')
  @ApiOperation({ summary: 'All exchanges of a conversation' })
  @Answers(conversationTree)
  @Refuses('NOT_FOUND')
  tree(@Param('id') id: string, @Caller() caller: string) {
    return this.conversations.tree(id, caller);
  }

  @Post(':id/fork')
  @ApiOperation({ summary: 'Continue from an earlier exchange' })
  @Takes(forkSchema, { nodeId: 'sess_7a2e465f0588~7a2e465f0588' })
  @Answers(conversationView)
  @Refuses('NOT_FOUND')
  fork(
    @Param('id') id: string,
    @Body(new ZodPipe(forkSchema)) { nodeId }: z.infer<typeof forkSchema>,
    @Caller() caller: string,
  ) {
    return this.conversations.fork(id, caller, nodeId);
  }
}
