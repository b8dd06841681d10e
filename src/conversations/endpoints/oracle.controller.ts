import { Body, Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller, callerOf } from '../../http/caller.js';
import { AnswersPlain, Refuses, Takes } from '../../http/openapi.js';
import { TakesIdempotencyKey } from '../../http/openapi-streams.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { CallerTurns } from '../caller-turns.js';
import { OracleHistory } from '../oracle-history.js';
import type { OracleRequest } from '../oracle-request.js';
import { ChatStreams } from './chat-streams.js';
import { Streams } from './chat.openapi.js';
import { OracleAnswers } from './oracle-answers.js';
import { oracleQuestion } from './oracle-question.js';
import {
  cancelStatus,
  clearedHistory,
  contextTree,
  contextTrees,
  oracleAnswer,
  oracleHistory,
} from './oracle-views.js';
import { Limited } from '../../http/limits/limited.js';
import { Requires } from '../../http/access/requires.js';
import { askedBy, keyOf } from './asked-by.js';

const question = new ZodPipe(oracleQuestion);
const EXAMPLE = { question: 'Why is checkout slow?', sources: ['runs', 'logs'], project_id: '1' };

/** The oracle panel: docs/front-ends.md. */
@ApiTags('conversations')
@Controller('api/oracle')
@Requires('chat')
export class OracleController {
  constructor(
    private readonly streams: ChatStreams,
    private readonly answers: OracleAnswers,
    private readonly turns: CallerTurns,
    private readonly past: OracleHistory,
  ) {}

  @Post('stream')
  @Limited('chats', 'streams')
  @Streams(
    'Ask the oracle, in format `oracle`; the turn of the same caller that is running is cancelled',
    { format: 'oracle', body: oracleQuestion, example: EXAMPLE },
  )
  stream(@Body(question) turn: OracleRequest, @Res() response: Response): Promise<void> {
    return this.streams.stream(response, 'oracle', turn);
  }

  @Post()
  @Limited('chats')
  @ApiOperation({ summary: 'Ask the oracle, and get the whole answer as JSON' })
  @Takes(oracleQuestion, EXAMPLE)
  @TakesIdempotencyKey()
  @AnswersPlain(oracleAnswer)
  @Refuses('FEATURE_DISABLED', 'NOT_FOUND')
  ask(@Body(question) turn: OracleRequest, @Req() request: Request) {
    return this.answers.ask(callerOf(request), askedBy(request, turn), keyOf(request));
  }

  @Post('cancel')
  @ApiOperation({ summary: 'Cancel the turn of the caller that is running' })
  @AnswersPlain(cancelStatus)
  async cancel(@Caller() caller: string) {
    return { status: (await this.turns.cancel(caller)) ? 'cancelled' : 'no_active_session' };
  }

  @Get('history')
  @ApiOperation({ summary: 'The messages of the latest conversation of the caller' })
  @AnswersPlain(oracleHistory)
  history(@Caller() caller: string) {
    return this.past.latest(caller);
  }

  @Delete('history')
  @ApiOperation({ summary: 'Delete the conversations of the caller' })
  @AnswersPlain(clearedHistory)
  clear(@Caller() caller: string) {
    return this.past.clear(caller);
  }

  @Get('context/trees')
  @ApiOperation({ summary: 'The conversations of the caller' })
  @AnswersPlain(contextTrees)
  trees(@Caller() caller: string) {
    return this.past.trees(caller);
  }

  @Get('context/trees/:rootId')
  @ApiOperation({ summary: 'A conversation as a tree of exchanges' })
  @AnswersPlain(contextTree)
  @Refuses('NOT_FOUND')
  tree(@Param('rootId') rootId: string, @Caller() caller: string) {
    return this.past.tree(rootId, caller);
  }
}
