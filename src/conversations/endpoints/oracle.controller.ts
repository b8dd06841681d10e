import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SOURCE_KINDS } from '../../domain/chat/chat.js';
import { LIMIT_BOUNDS } from '../../domain/limits/limits.js';
import { callerOf } from '../../http/caller.js';
import { Streams } from './chat.openapi.js';
import { ChatStreams } from './chat-streams.js';
import { readContextId } from '../conversation.js';
import { OracleTurns } from '../oracle-turns.js';
import {
  contextIdSchema,
  messageSchema,
  parseBody,
  shortText,
  topologyIdSchema,
} from './parse-body.js';

const [, , LEAST_TOKENS, MOST_TOKENS] = LIMIT_BOUNDS.tokenBudget;
const tokensMessage = `must be an integer from ${LEAST_TOKENS} to ${MOST_TOKENS}`;

const oracleSchema = z.object({
  question: messageSchema,
  sources: z.array(z.enum(SOURCE_KINDS, `must be some of ${SOURCE_KINDS.join(', ')}`)).nullish(),
  context_id: contextIdSchema.nullish(),
  model: shortText(200, 'must be the name of a model; see GET /api/service/v1/models').nullish(),
  thinking: z.boolean().nullish(),
  max_tokens: z
    .int(tokensMessage)
    .min(LEAST_TOKENS, tokensMessage)
    .max(MOST_TOKENS, tokensMessage)
    .nullish(),
  project_id: z
    .union(
      [
        topologyIdSchema,
        z
          .string()
          .regex(/^[1-9]\d{0,14}$/)
          .transform(Number),
      ],
      'must be the id of a topology: a positive integer',
    )
    .nullish(),
});

/** The oracle chat panel: seeds 000 and 002. */
@ApiTags('conversations')
@Controller('api/oracle')
export class OracleController {
  constructor(
    private readonly streams: ChatStreams,
    private readonly turns: OracleTurns,
  ) {}

  @Post('stream')
  @Streams(
    'Ask the oracle, in format `oracle`; a turn of the same caller that is under way is cancelled',
    oracleSchema,
  )
  async stream(
    @Body() body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asked = parseBody(oracleSchema, body);
    const turn = {
      message: asked.question,
      ...(asked.context_id && readContextId(asked.context_id)),
      topologyId: asked.project_id ?? undefined,
      sources: asked.sources ?? undefined,
      model: asked.model ?? undefined,
      thinking: asked.thinking ?? undefined,
      tokenBudget: asked.max_tokens ?? undefined,
    };
    await this.streams.stream(request, response, 'oracle', turn, (owner, accepted) =>
      this.turns.begin(owner, accepted),
    );
  }

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({ summary: "Cancel the caller's turn that is under way" })
  @ApiResponse({ status: 200, description: '`{"status": "cancelled" | "no_active_session"}`' })
  async cancel(@Req() request: Request): Promise<{ status: 'cancelled' | 'no_active_session' }> {
    return {
      status: (await this.turns.cancel(callerOf(request))) ? 'cancelled' : 'no_active_session',
    };
  }
}
