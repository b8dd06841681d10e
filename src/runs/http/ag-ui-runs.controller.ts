import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { Requires } from '../../http/access/requires.js';
import { Limited } from '../../http/limits/limited.js';
import { Refuses, Takes } from '../../http/openapi.js';
import { STREAM } from '../../http/openapi-streams.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { AgUiRuns, agUiRunSchema } from './ag-ui-runs.js';

/** Runs for clients of AG-UI. */
@ApiTags('executions')
@Controller('executions/:runId/ag-ui')
@Requires('approvals:decide')
export class AgUiRunsController {
  constructor(private readonly runs: AgUiRuns) {}

  @Post()
  @HttpCode(200)
  @Limited('streams')
  @ApiOperation({
    summary: 'Follow a run as an AG-UI client does (`RunAgentInput`), and answer its approvals',
    description:
      'The stream, in format `ag-ui`, ends with `outcome: {type: "interrupt"}` where the run asks for an approval. The next request answers it in `resume` and gets the rest.',
  })
  @Takes(agUiRunSchema, {
    resume: [{ status: 'resolved', interruptId: 'RUN_ID:d1_t2', payload: { approved: true } }],
  })
  @ApiProduces('text/event-stream')
  @ApiResponse(STREAM)
  @Refuses('RUN_NOT_FOUND', 'NOT_FOUND', 'APPROVAL_CLOSED', 'RUN_EXPIRED')
  follow(
    @Param('runId') runId: string,
    @Body(new ZodPipe(agUiRunSchema)) body: z.infer<typeof agUiRunSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.runs.follow(runId, body, request, response);
  }
}
