import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { success } from '../../domain/envelope.js';
import { FORMATS } from '../../formats/registry.js';
import { BEGINNING, reaches } from '../../formats/cursor.js';
import { callerOf } from '../../http/caller.js';
import { RunStreams } from '../../streams/run-streams.js';
import { readCursor, refuseBlindRetry } from '../../streams/stream-query.js';
import { DisconnectWatch } from './disconnect-watch.js';
import { EVENTS } from './executions.openapi.js';
import { readListQuery, readPageLimit } from './execution-query.js';
import { ExecutionsService } from './executions.service.js';
import { CancelRequest, parseCancel, parseTrigger, TriggerRequest } from './trigger-request.js';

const eventsUrl = (runId: string) => `/api/service/v1/executions/${runId}/events`;
const wantsJson = (request: Request) =>
  request.accepts(['text/event-stream', 'application/json']) === 'application/json';

@ApiTags('executions')
@Controller('executions')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly streams: RunStreams,
    private readonly watch: DisconnectWatch,
  ) {}

  @Post('trigger')
  @ApiOperation({
    summary: 'Start a diagnosis',
    description:
      'With `Accept: application/json`: 202 and the id. Else the run as an event stream, from its first event to its last.',
  })
  @ApiBody({ type: TriggerRequest })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body joins the same run, for 24 h',
  })
  @ApiQuery({
    name: 'format',
    required: false,
    enum: FORMATS,
    description: 'Of the event stream; default: STREAM_FORMAT',
  })
  @ApiProduces('text/event-stream', 'application/json')
  @ApiResponse({ status: 200, description: 'The event stream, closed after the terminal event' })
  @ApiResponse({ status: 202, description: '`data: {runId, status, eventsUrl}`' })
  @ApiResponse({ status: 400, description: 'VALIDATION_FAILED: `data.errors` names every fault' })
  @ApiResponse({ status: 404, description: 'TOPOLOGY_NOT_FOUND' })
  @ApiResponse({ status: 413, description: 'PAYLOAD_TOO_LARGE' })
  @ApiResponse({ status: 415, description: 'UNSUPPORTED_MEDIA_TYPE' })
  @ApiResponse({ status: 422, description: 'IDEMPOTENCY_KEY_REUSED' })
  @ApiResponse({ status: 503, description: 'UNAVAILABLE, with Retry-After' })
  async trigger(
    @Body() body: unknown,
    @Query('format') format: unknown,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const wantedFormat = this.streams.format(format);
    refuseBlindRetry(lastEventId, key);
    const wanted = parseTrigger(body);
    const json = wantsJson(request);
    if (!json) this.streams.admit(response);
    const cursor = json ? BEGINNING : readCursor(wantedFormat, lastEventId, undefined);
    const { runId, spec, start } = await this.executions.accept(
      wanted,
      key || undefined,
      reaches(cursor),
    );
    const watched = spec.onDisconnect === 'cancel';
    response.setHeader('Location', eventsUrl(runId));
    if (json) {
      await start();
      if (watched) this.watch.left(runId);
      const { status } = await this.executions.state(runId, callerOf(request));
      response
        .status(202)
        .setHeader('X-Run-Id', runId)
        .json(success({ runId, status, eventsUrl: eventsUrl(runId) }, 'Execution accepted'));
      return;
    }
    if (reaches(cursor) > 0)
      await this.streams.checkCursor(
        runId,
        await this.executions.state(runId, callerOf(request)),
        reaches(cursor),
      );
    // The first event is on the wire before any model or tool is called.
    try {
      await this.streams.begin(
        response,
        runId,
        wantedFormat,
        cursor,
        watched ? () => this.watch.left(runId) : undefined,
      );
    } finally {
      await start();
    }
  }

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancel a run: when this answers, its log is sealed' })
  @ApiBody({ type: CancelRequest })
  @ApiResponse({
    status: 200,
    description:
      '`data: {type, runId, content, timestamp}`; the same for a run that was cancelled before',
  })
  @ApiResponse({ status: 400, description: 'VALIDATION_FAILED' })
  @ApiResponse({ status: 404, description: "RUN_NOT_FOUND, also for another caller's chat" })
  @ApiResponse({ status: 409, description: 'CANCEL_FAILED: it has completed or failed' })
  async cancel(@Body() body: unknown, @Req() request: Request) {
    return success(
      await this.executions.cancel(parseCancel(body).runId, callerOf(request)),
      'Execution cancelled',
    );
  }

  @Get()
  @ApiOperation({ summary: 'Runs, newest first' })
  @ApiResponse({ status: 200, description: '`data: {items, nextCursor}`' })
  @ApiResponse({ status: 400, description: 'VALIDATION_FAILED' })
  @ApiQuery({ name: 'topologyId', required: false })
  @ApiQuery({
    name: 'status',
    required: false,
    enum: ['queued', 'running', 'completed', 'failed', 'cancelled'],
  })
  @ApiQuery({ name: 'kind', required: false, enum: ['diagnosis', 'chat'] })
  @ApiQuery({ name: 'limit', required: false, description: '1 to 200, default 50' })
  @ApiQuery({ name: 'cursor', required: false, description: '`nextCursor` of the page before' })
  async list(@Query() query: Record<string, unknown>, @Req() request: Request) {
    return success(await this.executions.list(readListQuery(query), callerOf(request)));
  }

  @Get(':runId')
  @ApiOperation({ summary: 'One run, with its report when it has ended' })
  @ApiResponse({
    status: 200,
    description:
      '`data`: status, times, usage, `partial` with `reasons`, `error`, `quiesced`, `summary`, `report`',
  })
  @ApiResponse({ status: 404, description: "RUN_NOT_FOUND, also for another caller's chat" })
  async show(@Param('runId') runId: string, @Req() request: Request) {
    return success(await this.executions.show(runId, callerOf(request)));
  }

  @Get(':runId/events')
  @ApiOperation({
    summary:
      'The log of a run, after a cursor: as an event stream (then live, until it ends), or a page as JSON',
  })
  @ApiProduces('text/event-stream', 'application/json')
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Go on after the frame of this `id`; wins over `after`',
  })
  @ApiQuery({ name: 'after', required: false })
  @ApiQuery({
    name: 'format',
    required: false,
    enum: FORMATS,
    description: 'Of the event stream; default: STREAM_FORMAT',
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    description: 'Of a JSON page: 1 to 1000, default 100',
  })
  @ApiResponse(EVENTS)
  @ApiResponse({
    status: 204,
    description: 'The cursor is the terminal event: there is nothing more to come',
  })
  @ApiResponse({ status: 400, description: 'INVALID_EVENT_ID' })
  @ApiResponse({ status: 404, description: "RUN_NOT_FOUND, also for another caller's chat" })
  @ApiResponse({
    status: 410,
    description:
      'RUN_EXPIRED: the log is no longer kept, or the store has lost what the cursor stands for, or the whole run',
  })
  async events(
    @Param('runId') runId: string,
    @Query() query: Record<string, unknown>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const format = this.streams.format(query['format']);
    const cursor = readCursor(format, lastEventId, query['after']);
    const state = await this.executions.state(runId, callerOf(request), reaches(cursor));
    if (!wantsJson(request)) return this.streams.resume(response, runId, state, format, cursor);
    await this.streams.checkCursor(runId, state, reaches(cursor));
    // A page begins with the event whose frames the client has not all.
    const page = await this.executions.page(runId, cursor.after, readPageLimit(query));
    response.setHeader('X-Run-Id', runId).type('application/json').send(page);
  }
}
