import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { Cursor } from '../domain/formats/cursor.js';
import { formatHeaders, type Format } from '../domain/formats/format.js';
import { isTerminalStatus } from '../domain/run.js';
import type { RunState } from '../event-log/event-log.js';
import { Feed } from '../event-log/feed.js';
import { beginEventStream } from './event-stream.js';
import { resumingSink } from './resuming-sink.js';
import { readFormat } from './stream-query.js';

/** Runs as event streams, in any format, whatever endpoint they are asked for at. Contract sections 2, 3 and 7. */
@Injectable()
export class RunStreams {
  constructor(
    private readonly feed: Feed,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The format that a query names, else the endpoint's own. @throws ConsiliumError VALIDATION_FAILED for an unknown one */
  format(named: unknown, standard: Format = this.config.streamFormat): Format {
    return readFormat(named, standard);
  }

  /** To be asked before anything is done for a stream: see `Feed.admit`. @throws ConsiliumError UNAVAILABLE */
  admit(response: Response): void {
    this.feed.admit(response);
  }

  /**
   * The stream of a run that was started before: 204 where nothing is left of it.
   * @throws ConsiliumError RUN_EXPIRED, UNAVAILABLE
   */
  async resume(
    response: Response,
    runId: string,
    { status, lastSequence, expired }: RunState,
    format: Format,
    cursor: Cursor,
  ): Promise<void> {
    if (isTerminalStatus(status) && cursor.after === lastSequence) return void response.status(204).end();
    if (expired) throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    this.admit(response);
    await this.begin(response, runId, format, cursor);
  }

  /** A stream that says only why there is none. */
  refuse(response: Response, frame: string): void {
    const sink = beginEventStream(response, {});
    sink.write(Buffer.from(frame));
    sink.end();
  }

  /**
   * Begins the stream of an admitted response. Resolves when its first frames are on the wire, or the client has gone.
   * @param gone the client has left before the end; not called where the server has ended the stream
   */
  async begin(response: Response, runId: string, format: Format, cursor: Cursor, gone?: () => void): Promise<void> {
    const sink = resumingSink(beginEventStream(response, { 'X-Run-Id': runId, ...formatHeaders(format) }), cursor);
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let ended = false;
    let leave = () => {};
    response.on('close', () => {
      leave();
      begin();
      if (!ended) gone?.();
    });
    const write = (bytes: Buffer) => {
      const given = sink.write(bytes);
      begin();
      return given;
    };
    const end = () => {
      ended = true;
      sink.end();
    };
    leave = await this.feed.follow(runId, cursor.after, { ...sink, write, end }, format);
    if (response.destroyed) leave();
    await begun;
  }
}
