import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ConsiliumError, type ErrorCode } from '../../domain/errors.js';
import { LogPort } from '../../event-log/log-port.js';
import { reaches } from '../../formats/cursor.js';
import type { Format } from '../../formats/registry.js';
import { askedBy, keyOf } from './asked-by.js';
import { setAuditObject } from '../../http/audit/audit-requests.js';
import { callerOf } from '../../http/caller.js';
import { RunStreams } from '../../streams/run-streams.js';
import { readCursor } from '../../streams/stream-query.js';
import { Conversations } from '../conversations.js';
import {
  goneTurn,
  type AcceptedTurn,
  type IdempotentPost,
  type OracleRequest,
} from '../oracle-request.js';
import { Turns } from '../turns.js';

/**
 * The only event of a refused stream in format `chat`: the types that its clients know
 * (docs/formats/chat.md).
 */
const CHAT_TYPES: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: 'rate_limit_exceeded',
  NOT_FOUND: 'not_found',
  TOPOLOGY_NOT_FOUND: 'not_found',
  FEATURE_DISABLED: 'feature_disabled',
};

/** Streams turns as events, for all endpoints. */
@Injectable()
export class ChatStreams {
  constructor(
    private readonly turns: Turns,
    private readonly streams: RunStreams,
    private readonly conversations: Conversations,
    private readonly log: LogPort,
  ) {}

  /**
   * Accepts a turn and streams it, from its first event or after `Last-Event-ID`.
   * @param standard the format of the endpoint
   */
  async stream(response: Response, standard: Format, turn: OracleRequest): Promise<void> {
    const request = response.req;
    const format = this.streams.format(request.query['format'], standard);
    const cursor = readCursor(format, request.get('last-event-id'), undefined);
    const keyed = keyOf(request, reaches(cursor) > 0);
    this.streams.admit(response);
    const accepted = await this.accept(response, format, turn, keyed);
    if (!accepted) return;
    const { runId, spec, start } = accepted;
    setAuditObject(response, runId);
    response.setHeader('Location', `/api/service/v1/executions/${runId}/events`);
    const state = reaches(cursor) > 0 ? await this.log.state(runId) : undefined;
    if (state) return this.streams.resume(response, { runId, state }, format, cursor);
    if (keyed?.resumes) throw goneTurn();
    // The first event is sent before any model or tool is called.
    try {
      const { onDisconnect } = spec;
      await this.streams.begin(response, { runId, onDisconnect }, format, cursor);
    } finally {
      await start();
    }
  }

  /** The stream of the running turn of a conversation; 204 if no turn is running. */
  async resume(response: Response, standard: Format, conversationId: string): Promise<void> {
    const request = response.req;
    const format = this.streams.format(request.query['format'], standard);
    const cursor = readCursor(format, request.get('last-event-id'), undefined);
    const runId = await this.conversations.running(conversationId, callerOf(request));
    const state = runId === undefined ? undefined : await this.log.state(runId);
    if (runId === undefined || !state) return void response.status(204).end();
    await this.streams.resume(response, { runId, state }, format, cursor);
  }

  /** Undefined: it was refused, as an event of the stream. */
  private async accept(
    response: Response,
    format: Format,
    turn: OracleRequest,
    keyed: IdempotentPost | undefined,
  ): Promise<AcceptedTurn | undefined> {
    try {
      return await this.turns.accept(callerOf(response.req), askedBy(response.req, turn), keyed);
    } catch (error) {
      const type =
        format === 'chat' && error instanceof ConsiliumError ? CHAT_TYPES[error.code] : undefined;
      if (type === undefined) throw error;
      const { message, options } = error as ConsiliumError;
      const data = JSON.stringify({ type, message, ...options.details });
      this.streams.refuse(response, `event: error\ndata: ${data}\n\n`);
      return undefined;
    }
  }
}
