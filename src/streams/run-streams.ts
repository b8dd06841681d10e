import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { reaches, type Cursor } from '../formats/cursor.js';
import { formatOf, type Format } from '../formats/registry.js';
import { isTerminalStatus } from '../domain/run.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import { Feed } from './feed.js';
import type { Sink } from './follower.js';
import { StoreWatch } from '../redis/store-watch.js';
import { Presence } from './presence.js';
import { beginEventStream } from './event-stream.js';
import { resumingSink } from './resuming-sink.js';
import { readFormat } from './stream-query.js';

const lost = (sequence: number) =>
  new ConsiliumError(
    'RUN_EXPIRED',
    `The store has lost events of this run up to ${sequence}; read it again from the beginning`,
  );

/** Runs as event streams, in any format, whatever endpoint they are asked for at. Contract sections 2, 3 and 7. */
@Injectable()
export class RunStreams {
  constructor(
    private readonly feed: Feed,
    private readonly log: LogPort,
    private readonly store: StoreWatch,
    private readonly presence: Presence,
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
   * @throws ConsiliumError INVALID_EVENT_ID, RUN_EXPIRED, UNAVAILABLE
   */
  async resume(
    response: Response,
    runId: string,
    state: RunState,
    format: Format,
    cursor: Cursor,
  ): Promise<void> {
    await this.checkCursor(runId, state, reaches(cursor));
    const { status, lastSequence, expired, archived, head } = state;
    if (isTerminalStatus(status) && cursor.after === lastSequence)
      return void response.status(204).end();
    if (expired) throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    // A damaged archive is refused before the stream begins.
    if (archived) await this.log.read(runId, cursor.after, 1);
    this.admit(response);
    await this.begin(response, { runId, onDisconnect: head.onDisconnect }, format, cursor);
  }

  /**
   * Whether a client that has seen this run's events up to a cursor may go on after it.
   * @throws ConsiliumError INVALID_EVENT_ID for a cursor past the end; RUN_EXPIRED where the log has, or may have, lost what it stands for
   */
  async checkCursor(runId: string, state: RunState, cursor: number): Promise<void> {
    if (cursor === 0) return;
    const { lastSequence, lostUpTo } = await this.settled(runId, state);
    if (cursor <= lostUpTo) throw lost(lostUpTo);
    if (cursor <= lastSequence) return;
    // After a failover or a restart, a lost cursor cannot be told from one that never existed.
    if (await this.log.hasMoved(runId)) throw lost(cursor);
    throw new ConsiliumError(
      'INVALID_EVENT_ID',
      `The cursor must be a sequence number from 0 to ${lastSequence}, where the log ends now`,
    );
  }

  /** Soon after Redis was replaced another node may be about to find that something is lost, and to remember it: it is given the time. */
  private async settled(runId: string, state: RunState): Promise<RunState> {
    if (this.store.isSettled || !(await this.log.hasMoved(runId))) return state;
    await this.store.settled();
    return (await this.log.state(runId)) ?? state;
  }

  /** The whole stream of a run, when the run has ended or this node goes away. */
  collect(runId: string, format: Format): Promise<string> {
    return new Promise((resolve, reject) => {
      const frames: Buffer[] = [];
      const sink: Sink = {
        write: (bytes) => (frames.push(bytes), bytes.length),
        backlog: () => 0,
        queued: () => 0,
        onceDrained: setImmediate,
        end: () => resolve(Buffer.concat(frames).toString()),
        destroy: () => reject(new ConsiliumError('UNAVAILABLE', 'The stream was cut off')),
      };
      this.feed.follow(runId, 0, sink, format).catch(reject);
    });
  }

  /** A stream that says only why there is none. */
  refuse(response: Response, frame: string): void {
    const sink = beginEventStream(response, {});
    sink.write(Buffer.from(frame));
    sink.end();
  }

  /**
   * Begins the stream of an admitted response. Resolves when its first frames are on the wire, or the client has gone.
   * @param run with `onDisconnect: "cancel"`, it is kept going by this follower
   */
  async begin(
    response: Response,
    { runId, onDisconnect }: { runId: string; onDisconnect?: string | undefined },
    format: Format,
    cursor: Cursor,
  ): Promise<void> {
    const left = onDisconnect === 'cancel' ? await this.presence.follow(runId) : undefined;
    const sink = resumingSink(
      beginEventStream(response, { 'X-Run-Id': runId, ...formatOf(format).headers }),
      cursor,
    );
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
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
