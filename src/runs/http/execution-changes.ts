import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import { isShownTo } from '../../domain/run.js';
import { tenantOf } from '../../domain/tenant.js';
import { beginEventStream } from '../../streams/event-stream.js';
import type { Sink } from '../../streams/follower.js';
import { RunStreams } from '../../streams/run-streams.js';
import { cardOfRun } from './run-card.js';
import { RunChanges, type RunChange } from './run-changes.js';
import { RunDigests } from './run-digests.js';

const LOOK_MS = 1_000;
/**
 * Number of checks without a change after which a comment is written: 15 s, as in contract section
 * 2.
 */
const SILENT_LOOKS = 15;
/**
 * A client with this many unread bytes is disconnected, and reads the list again when it
 * reconnects.
 */
const MOST_WAITING = 1_048_576;
const PING = Buffer.from(': ping\n\n');

interface Viewer {
  caller: string;
  sink: Sink;
  /** Checks since something was written. */
  silent: number;
}

/** The list of runs as a stream of changes. Checks for changes only while a client follows. */
@Injectable()
export class ExecutionChanges implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ExecutionChanges.name);
  private readonly viewers = new Set<Viewer>();
  private timer: NodeJS.Timeout | undefined;
  private looking = false;

  constructor(
    private readonly streams: RunStreams,
    private readonly changes: RunChanges,
    private readonly digests: RunDigests,
  ) {}

  /**
   * Writes every change from now on, until the client goes away.
   * @throws ConsiliumError UNAVAILABLE
   */
  follow(caller: string, response: Response): void {
    this.streams.admit(response);
    const viewer = { caller, sink: beginEventStream(response, {}), silent: 0 };
    this.viewers.add(viewer);
    response.once('close', () => this.leave(viewer));
    this.timer ??= setInterval(() => void this.poll(), LOOK_MS).unref();
  }

  beforeApplicationShutdown(): void {
    for (const viewer of this.viewers) viewer.sink.end();
  }

  private leave(viewer: Viewer): void {
    this.viewers.delete(viewer);
    if (this.viewers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.changes.forget();
  }

  /** If a check takes longer than the interval, no second one is started. */
  private async poll(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const changes = await this.changes.read(this.tenants());
      const frames = await Promise.all(changes.map((change) => this.frame(change)));
      for (const viewer of this.viewers)
        write(
          viewer,
          frames.filter((_, i) => isShownTo(viewer.caller, (changes[i] as RunChange).state.head)),
        );
    } catch (error) {
      this.logger.debug(`the list of runs could not be read: ${String(error)}`);
    } finally {
      this.looking = false;
    }
  }

  private tenants(): string[] {
    return [...new Set([...this.viewers].map(({ caller }) => tenantOf(caller)))];
  }

  private async frame({ runId, state }: RunChange): Promise<Buffer> {
    const card = cardOfRun(runId, state, await this.digests.of(runId, state));
    return Buffer.from(`event: run\ndata: ${JSON.stringify(card)}\n\n`);
  }
}

function write(viewer: Viewer, frames: Buffer[]): void {
  const { sink } = viewer;
  viewer.silent = frames.length > 0 ? 0 : viewer.silent + 1;
  if (sink.backlog() > MOST_WAITING) return sink.destroy();
  if (frames.length > 0) sink.write(Buffer.concat(frames));
  else if (viewer.silent % SILENT_LOOKS === 0) sink.write(PING);
}
