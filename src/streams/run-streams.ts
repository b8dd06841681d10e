import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { reaches, type Cursor } from '../formats/cursor.js';
import { formatOf, type Format } from '../formats/registry.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { abortable } from '../lib/async.js';
import { FIRST_FRAMES } from '../lib/measured-response.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import { Feed } from './feed.js';
import type { Sink } from './follower.js';
import { StoreWatch } from '../redis/store-watch.js';
import { Presence } from './presence.js';
import { beginEventStream } from './event-stream.js';
import { cutSink } from './cut-sink.js';
import { resumingSink } from './resuming-sink.js';
import { readFormat } from './stream-query.js';

/** A run to stream. */
interface StreamedRun {
  runId: string;
  /** `cancel`: this follower keeps the run running. */
  onDisconnect?: string | undefined;
  /**
   * Ends the stream after the first frame for which it returns a time, until which its client
   * counts as a follower: ms since 1970. Absent: the stream ends with the run.
   */
  pausesUntil?: ((frame: string) => number | undefined) | undefined;
}

const lost = (sequence: number) =>
  new ConsiliumError(
    'RUN_EXPIRED',
    `The store has lost events of this run up to ${sequence}; read it again from the beginning`,
  );

/** The streams of runs in any format, for all endpoints (contract sections 2, 3 and 7). */
@Injectable()
export class RunStreams {
  constructor(
    private readonly feed: Feed,
    private readonly log: LogPort,
    private readonly store: StoreWatch,
    private readonly presence: Presence,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Returns the format of a query, or the default of the endpoint.
   * @throws ConsiliumError VALIDATION_FAILED for an unknown one
   */
  format(named: unknown, standard: Format = this.config.streamFormat): Format {
    return readFormat(named, standard);
  }

  /**
   * Admits a response before anything is done for its stream; see `Feed.admit`.
   * @throws ConsiliumError UNAVAILABLE
   */
  admit(response: Response): void {
    this.feed.admit(response);
  }

  /**
   * Streams an existing run after a cursor. Sends 204 if there are no more events.
   * @throws ConsiliumError INVALID_EVENT_ID, RUN_EXPIRED, UNAVAILABLE
   */
  async resume(
    response: Response,
    { runId, state, pausesUntil }: Omit<StreamedRun, 'onDisconnect'> & { state: RunState },
    format: Format,
    cursor: Cursor,
  ): Promise<void> {
    await this.checkCursor(runId, state, reaches(cursor));
    const { status, lastSequence, expired, archived, head } = state;
    if (isTerminalStatus(status) && cursor.after === lastSequence)
      return void response.status(204).end();
    if (expired) throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    // Reports a damaged archive before the stream starts.
    if (archived) await this.log.read(runId, cursor.after, 1);
    this.admit(response);
    const { onDisconnect } = head;
    await this.begin(response, { runId, onDisconnect, pausesUntil }, format, cursor);
  }

  /**
   * Checks that a client may continue after a cursor.
   * @throws ConsiliumError INVALID_EVENT_ID for a cursor after the end; RUN_EXPIRED if the log
   *   lost, or may have lost, events up to it
   */
  async checkCursor(runId: string, state: RunState, cursor: number): Promise<void> {
    if (cursor === 0) return;
    const { lastSequence, lostUpTo } = await this.settled(runId, state);
    if (cursor <= lostUpTo) throw lost(lostUpTo);
    if (cursor <= lastSequence) return;
    // After a failover or restart, a lost cursor looks like one that never existed.
    if (await this.log.hasMoved(runId)) throw lost(cursor);
    throw new ConsiliumError(
      'INVALID_EVENT_ID',
      `The cursor must be a sequence number from 0 to ${lastSequence}, the current end of the log`,
    );
  }

  /** Soon after Redis was replaced, another process may be about to record a loss. Waits for it. */
  private async settled(runId: string, state: RunState): Promise<RunState> {
    if (this.store.isSettled || !(await this.log.hasMoved(runId))) return state;
    await this.store.settled();
    return (await this.log.state(runId)) ?? state;
  }

  /**
   * Collects the whole stream of a run until it ends or this process shuts down.
   * @throws ConsiliumError UNAVAILABLE; the reason of the signal
   */
  collect(runId: string, format: Format, signal: AbortSignal): Promise<string> {
    const collected = new Promise<string>((resolve, reject) => {
      const frames: Buffer[] = [];
      const sink: Sink = {
        write: (bytes) => (frames.push(bytes), bytes.length),
        backlog: () => 0,
        queued: () => 0,
        onceDrained: setImmediate,
        end: () => resolve(Buffer.concat(frames).toString()),
        destroy: () =>
          reject(
            new ConsiliumError('UNAVAILABLE', 'The stream was interrupted', {
              retryAfterSeconds: 1,
            }),
          ),
      };
      this.feed.follow(runId, 0, sink, format).then((leave) => {
        if (signal.aborted) leave();
        else signal.addEventListener('abort', leave, { once: true });
      }, reject);
    });
    return abortable(collected, signal);
  }

  /** Sends a stream with only an error frame. */
  refuse(response: Response, frame: string): void {
    const sink = beginEventStream(response, {});
    sink.write(Buffer.from(frame));
    sink.end();
  }

  /**
   * Starts the stream of an admitted response. Resolves when its first frames were sent or the
   * client has gone.
   */
  async begin(
    response: Response,
    { runId, onDisconnect, pausesUntil }: StreamedRun,
    format: Format,
    cursor: Cursor,
  ): Promise<void> {
    const isCounted = onDisconnect === 'cancel';
    const left = isCounted ? await this.presence.follow(runId) : undefined;
    if (isCounted && pausesUntil) await this.presence.unpause(runId).catch(() => undefined);
    const whole = resumingSink(
      beginEventStream(response, { 'X-Run-Id': runId, ...formatOf(format).headers }),
      cursor,
    );
    const isLast = (frame: string) => {
      const until = pausesUntil?.(frame);
      // If Redis is unavailable, every run counts as followed for a while.
      if (until !== undefined && isCounted)
        this.presence.pause(runId, until).catch(() => undefined);
      return until !== undefined;
    };
    const sink = pausesUntil ? cutSink(whole, isLast) : whole;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    void begun.then(() => response.emit(FIRST_FRAMES));
    let leave = () => {};
    const closed = () => {
      leave();
      begin();
      left?.();
    };
    response.on('close', closed);
    const write = (bytes: Buffer) => {
      const given = sink.write(bytes);
      begin();
      return given;
    };
    leave = await this.feed.follow(runId, cursor.after, { ...sink, write }, format);
    if (response.destroyed) closed();
    await begun;
  }
}
