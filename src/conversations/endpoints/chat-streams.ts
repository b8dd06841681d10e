import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConsiliumError, type ErrorCode } from '../../domain/errors.js';
import { reaches } from '../../formats/cursor.js';
import type { Format } from '../../formats/registry.js';
import { EventLog } from '../../event-log/event-log.js';
import { callerOf } from '../../http/caller.js';
import { RunStreams } from '../../streams/run-streams.js';
import { readCursor, refuseBlindRetry } from '../../streams/stream-query.js';
import { goneTurn, Turns, type AcceptedTurn, type Keyed, type Turn } from '../turns.js';

/** What format `chat` says as the only event of a stream: the types of seed 004. */
const CHAT_TYPES: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: 'rate_limit_exceeded',
  NOT_FOUND: 'not_found',
  TOPOLOGY_NOT_FOUND: 'not_found',
  FEATURE_DISABLED: 'feature_disabled',
};

/** Turns as event streams, whatever endpoint they were asked for at. */
@Injectable()
export class ChatStreams {
  constructor(
    private readonly turns: Turns,
    private readonly streams: RunStreams,
    private readonly log: EventLog,
  ) {}

  /**
   * Accepts a turn and streams it, from its first event or after `Last-Event-ID`.
   * @param standard the endpoint's format
   * @param accepted told of the turn before it starts
   */
  async stream(
    request: Request,
    response: Response,
    standard: Format,
    turn: Turn,
    accepted: (owner: string, turn: AcceptedTurn) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const format = this.streams.format(request.query['format'], standard);
    const cursor = readCursor(format, request.get('last-event-id'), undefined);
    const keyed = keyOf(request, reaches(cursor) > 0);
    this.streams.admit(response);
    const owner = callerOf(request);
    let run: AcceptedTurn;
    try {
      run = await this.turns.accept(owner, turn, keyed);
    } catch (error) {
      const type =
        format === 'chat' && error instanceof ConsiliumError ? CHAT_TYPES[error.code] : undefined;
      if (type === undefined) throw error;
      const { message, options } = error as ConsiliumError;
      return this.streams.refuse(
        response,
        `event: error\ndata: ${JSON.stringify({ type, message, ...options.details })}\n\n`,
      );
    }
    await accepted(owner, run);
    response.setHeader('Location', `/api/service/v1/executions/${run.runId}/events`);
    const state = reaches(cursor) > 0 ? await this.log.state(run.runId) : undefined;
    if (state) return this.streams.resume(response, run.runId, state, format, cursor);
    if (keyed?.resumes) throw goneTurn();
    // The first event is on the wire before any model or tool is called.
    try {
      await this.streams.begin(response, run.runId, format, cursor);
    } finally {
      await run.start();
    }
  }

  /** The stream of a turn that is under way; 204 where there is none. */
  async resume(
    request: Request,
    response: Response,
    standard: Format,
    runId: string | undefined,
  ): Promise<void> {
    const format = this.streams.format(request.query['format'], standard);
    const cursor = readCursor(format, request.get('last-event-id'), undefined);
    const state = runId === undefined ? undefined : await this.log.state(runId);
    if (runId === undefined || !state) return void response.status(204).end();
    await this.streams.resume(response, runId, state, format, cursor);
  }
}

/** @throws ConsiliumError VALIDATION_FAILED for a blind retry */
function keyOf(request: Request, resumes: boolean): Keyed | undefined {
  const key = request.get('idempotency-key');
  refuseBlindRetry(request.get('last-event-id'), key);
  return key ? { key, path: request.path, resumes } : undefined;
}
