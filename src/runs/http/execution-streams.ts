import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { success } from '../../domain/envelope.js';
import { ConsiliumError } from '../../domain/errors.js';
import { reaches } from '../../formats/cursor.js';
import { RequestAdmission } from '../../http/access/admission.js';
import { principalOf } from '../../http/access/principal.js';
import { setAuditObject } from '../../http/audit/audit-requests.js';
import { callerOf } from '../../http/caller.js';
import { parseWith } from '../../http/parse.js';
import { traceparentOf } from '../../http/traceparent.js';
import { RunStreams } from '../../streams/run-streams.js';
import { readCursor, refuseBlindRetry } from '../../streams/stream-query.js';
import type { AcceptedRun } from '../run-starter.js';
import { EventPages } from './event-pages.js';
import { eventPageSchema } from './execution-query.js';
import { ExecutionsService } from './executions.service.js';
import type { TriggerRequest } from './trigger-request.js';

const eventsUrl = (runId: string) => `/api/service/v1/executions/${runId}/events`;
const wantsJson = (request: Request) =>
  request.accepts(['text/event-stream', 'application/json']) === 'application/json';

/** Refuses parameters that a stream would ignore. @throws ConsiliumError VALIDATION_FAILED */
function refusePageFilters(query: Request['query']): void {
  const message = 'is of pages only, not of streams: ask with `Accept: application/json`';
  const faults = Object.keys(eventPageSchema.shape)
    .filter((name) => query[name] !== undefined)
    .map((path) => ({ path, message }));
  if (faults.length > 0)
    throw new ConsiliumError('VALIDATION_FAILED', 'The query is not valid', { faults });
}

/** Sends runs as event streams, or as JSON if the client asks for it (contract section 3). */
@Injectable()
export class ExecutionStreams {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly streams: RunStreams,
    private readonly pages: EventPages,
    private readonly admission: RequestAdmission,
  ) {}

  /** Starts a run, or joins the run of its `Idempotency-Key`. */
  async trigger(wanted: TriggerRequest, request: Request, response: Response): Promise<void> {
    const key = request.get('idempotency-key') || undefined;
    const lastEventId = request.get('last-event-id');
    const format = this.streams.format(request.query['format']);
    refuseBlindRetry(lastEventId, key);
    if (wantsJson(request)) return this.accept(wanted, key, request, response);
    await this.admission.countStream(request, response);
    this.streams.admit(response);
    const cursor = readCursor(format, lastEventId, undefined);
    const seen = reaches(cursor);
    const { runId, spec, start } = await this.executions.accept(wanted, principalOf(request), {
      key,
      cursor: seen,
      ...this.sentWith(request),
    });
    setAuditObject(response, runId);
    response.setHeader('Location', eventsUrl(runId));
    if (seen > 0) {
      const state = await this.executions.state(runId, callerOf(request));
      await this.streams.checkCursor(runId, state, seen);
    }
    // The first event is sent before any model or tool is called.
    try {
      const { onDisconnect } = spec;
      await this.streams.begin(response, { runId, onDisconnect }, format, cursor);
    } finally {
      await start();
    }
  }

  /**
   * Sends the log of a run after a cursor: as a stream that continues live, or as one page of JSON.
   */
  async events(runId: string, request: Request, response: Response): Promise<void> {
    const { query } = request;
    const format = this.streams.format(query['format']);
    const cursor = readCursor(format, request.get('last-event-id'), query['after']);
    const state = await this.executions.state(runId, callerOf(request), reaches(cursor));
    if (!wantsJson(request)) {
      refusePageFilters(query);
      await this.admission.countStream(request, response);
      return this.streams.resume(response, { runId, state }, format, cursor);
    }
    await this.streams.checkCursor(runId, state, reaches(cursor));
    const { before, ...filter } = parseWith(eventPageSchema, query, 'query');
    // A page begins with the event of which the client lacks a frame.
    const page =
      before === undefined
        ? await this.pages.after(runId, cursor.after, filter)
        : await this.pages.before(runId, Math.min(before, state.lastSequence + 1), filter);
    response.setHeader('X-Run-Id', runId).type('application/json').send(page);
  }

  private sentWith(request: Request) {
    return {
      traceparent: traceparentOf(request),
      counted: this.admission.count(request, 'triggers'),
    };
  }

  /** Sends 202: the run is accepted, and its events are read elsewhere. */
  private async accept(
    wanted: TriggerRequest,
    key: string | undefined,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { runId, start }: AcceptedRun = await this.executions.accept(
      wanted,
      principalOf(request),
      {
        key,
        cursor: 0,
        ...this.sentWith(request),
      },
    );
    setAuditObject(response, runId);
    await start();
    const { status } = await this.executions.state(runId, callerOf(request));
    response
      .status(202)
      .set({ 'X-Run-Id': runId, Location: eventsUrl(runId) })
      .json(success({ runId, status, eventsUrl: eventsUrl(runId) }, 'Execution accepted'));
  }
}
