import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentPrincipal, type Principal } from '../../http/access/principal.js';
import { setAuditObject } from '../../http/audit/audit-requests.js';
import { Caller } from '../../http/caller.js';
import { DtoPipe } from '../../http/dto-pipe.js';
import { Answers, Refuses, Revalidated, TakesQuery } from '../../http/openapi.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { listQuerySchema, type RunListQuery } from './execution-query.js';
import {
  comparison,
  comparisonQuery,
  ExecutionComparison,
  type ComparisonQuery,
} from './execution-comparison.js';
import { ExecutionChanges } from './execution-changes.js';
import { ExecutionList } from './execution-list.js';
import { ExecutionStreams } from './execution-streams.js';
import { DescribesChanges, DescribesEvents, DescribesTrigger } from './executions.openapi.js';
import { ExecutionsService } from './executions.service.js';
import { cancelled, runPage, runView } from './run-views.js';
import { CancelRequest, limitFaults, TriggerRequest } from './trigger-request.js';
import { Limited } from '../../http/limits/limited.js';
import { Requires } from '../../http/access/requires.js';

/** Runs over HTTP (contract section 3). */
@ApiTags('executions')
@Controller('executions')
@Requires('runs:read')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly streams: ExecutionStreams,
    private readonly runs: ExecutionList,
    private readonly changes: ExecutionChanges,
    private readonly comparison: ExecutionComparison,
  ) {}

  @Post('trigger')
  @Requires('runs:start')
  @DescribesTrigger()
  trigger(
    @Body(new DtoPipe(TriggerRequest, limitFaults)) wanted: TriggerRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.trigger(wanted, request, response);
  }

  @Post('cancel')
  @Requires('runs:cancel')
  @ApiOperation({
    summary: 'Cancel a run',
    description:
      'The log of the run is sealed before the response is sent. Repeating the request returns the same response.',
  })
  @ApiBody({ type: CancelRequest })
  @Answers(cancelled, { message: 'Execution cancelled' })
  @Refuses('RUN_NOT_FOUND', 'CANCEL_FAILED')
  cancel(
    @Body(new DtoPipe(CancelRequest)) { runId }: CancelRequest,
    @Caller() caller: string,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ) {
    setAuditObject(response, runId);
    return this.executions.cancel(runId, caller, principal);
  }

  @Get()
  @ApiOperation({
    summary: 'Runs, newest first',
    description: 'With an `ETag`: `If-None-Match` answers 304 while nothing has changed.',
  })
  @TakesQuery(listQuerySchema)
  @Answers(runPage)
  @Revalidated()
  list(@Query(new ZodPipe(listQuerySchema)) query: RunListQuery, @Caller() caller: string) {
    return this.runs.page(query, caller);
  }

  @Get('changes')
  @Limited('streams')
  @DescribesChanges()
  follow(@Caller() caller: string, @Res() response: Response): void {
    this.changes.follow(caller, response);
  }

  @Get('compare')
  @ApiOperation({
    summary: 'What changed between two diagnoses of a topology, or since it was healthy',
  })
  @TakesQuery(comparisonQuery)
  @Answers(comparison)
  @Refuses('RUN_NOT_FOUND', 'NOT_FOUND')
  compare(@Query(new ZodPipe(comparisonQuery)) query: ComparisonQuery, @Caller() caller: string) {
    return this.comparison.compare(query, caller);
  }

  @Get(':runId')
  @ApiOperation({ summary: 'One run, with its report if it has ended' })
  @Answers(runView)
  @Refuses('RUN_NOT_FOUND')
  show(@Param('runId') runId: string, @Caller() caller: string) {
    return this.executions.show(runId, caller);
  }

  @Get(':runId/events')
  @DescribesEvents()
  events(
    @Param('runId') runId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.streams.events(runId, request, response);
  }
}
