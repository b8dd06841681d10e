import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  OnApplicationShutdown,
  Optional,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import pLimit from 'p-limit';
import { atMost, retry } from '../lib/async.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { LOG_OBSERVER, type LogObserver } from '../domain/events/log-observer.js';
import { Clock } from '../lib/clock.js';
import { formatOf, type Format } from '../formats/registry.js';
import { EncodedViews } from './encoded-views.js';
import { runKeys } from '../event-log/keys.js';
import { LogPort } from '../event-log/log-port.js';
import type { Follower, Sink } from './follower.js';
import type { Batch } from './frame-ring.js';
import { RunChannel } from './run-channel.js';
import { Subscription } from './subscription.js';

const PING = Buffer.from(': ping\n\n');
const TICK_MS = 1_000;
/** Maximum bytes of recent frames in memory: of all runs of this process, and of one run. */
const RING_TOTAL = 2 ** 26;
const RING_MOST = 2 ** 20;
/** Concurrent reads of logs. Bounds memory when many followers are behind. */
const READS = 16;
/** ms between two measurements of how late published events are received. */
const MEASURE_MS = 100;
const TIMESTAMP = '"timestamp":"';
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;
/** ms that clients have to receive written bytes at shutdown. */
const DRAIN_MS = 2_000;

/**
 * Delivers the logs of runs to any number of followers in this process. The first follower of a run
 * subscribes to it, the last one unsubscribes.
 */
@Injectable()
export class Feed implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(Feed.name);
  private readonly channels = new Map<string, RunChannel>();
  private readonly followers = new Set<Follower>();
  /** Open connections that were admitted. */
  private readonly admitted = new Set<EventEmitter>();
  private readonly reads = pLimit(READS);
  private readonly views: EncodedViews;
  private readonly subscription: Subscription;
  private timer: NodeJS.Timeout | undefined;
  private tick = 0;
  /** Stuck clients that were disconnected since the start. */
  private stuck = 0;
  private draining = false;
  private measuredAt = -Infinity;

  constructor(
    private readonly log: LogPort,
    @Inject(CONFIG) private readonly config: Config,
    @Optional() private readonly clock?: Clock,
    @Optional() @Inject(LOG_OBSERVER) private readonly observer?: LogObserver,
  ) {
    const read = (runId: string, after: number, limit: number) =>
      this.reads(() => this.log.read(runId, after, limit));
    this.views = new EncodedViews(read);
    this.subscription = new Subscription(config.redisUrl, {
      received: (runId, batch) => {
        this.channels.get(runId)?.receive(batch);
        this.measure(batch);
      },
      interrupted: () => this.channels.forEach((channel) => channel.interrupted()),
      restored: () => {
        this.channels.forEach((channel) => channel.subscribed());
        void this.compareAll();
      },
    });
  }

  /**
   * Writes every frame after `after` to the sink, existing and new ones, and ends the sink after
   * the terminal event. If the log was deleted or has lost events, the sink ends early.
   * @returns a function that stops following; called automatically when the sink has closed
   */
  async follow(
    runId: string,
    after: number,
    sink: Sink,
    format: Format = 'executor',
  ): Promise<() => void> {
    const { encoder } = formatOf(format);
    if (!encoder) return this.join(runId, after, sink);
    const encoded = await this.views.open(runId, { name: format, encoder }, after, sink);
    if (encoded) return this.join(runId, after, encoded.sink, encoded.release);
    sink.end();
    return () => undefined;
  }

  /**
   * Admits a connection, before its stream starts.
   * @param connection holds a place until its `close`
   * @throws ConsiliumError UNAVAILABLE if this process has its maximum number of followers or shuts
   *   down
   */
  admit(connection: EventEmitter): void {
    if (this.draining)
      throw new ConsiliumError('UNAVAILABLE', 'This node is shutting down; try again', {
        retryAfterSeconds: 1,
      });
    if (this.admitted.size >= this.config.maxFollowers)
      throw new ConsiliumError(
        'UNAVAILABLE',
        'This node has reached its maximum number of streams (MAX_FOLLOWERS); try again later',
        { retryAfterSeconds: 5 },
      );
    this.admitted.add(connection);
    connection.once('close', () => this.admitted.delete(connection));
  }

  /** Followers in this process, and runs that they follow. */
  get load(): { followers: number; runs: number } {
    return { followers: this.followers.size, runs: this.channels.size };
  }

  /** Clients that were disconnected because they read nothing, since the start. */
  get dropped(): number {
    return this.stuck;
  }

  /**
   * Ends all streams at a frame boundary, so that clients resume elsewhere. Accepts no new ones.
   */
  async drain(): Promise<void> {
    this.draining = true;
    const closed = Promise.all([...this.channels.values()].map((channel) => channel.close()));
    await atMost(DRAIN_MS, closed, undefined);
  }

  /** Runs before the server waits for its connections to end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.drain();
    clearInterval(this.timer);
    this.subscription.close();
  }

  /** Measures how long ago the first event of a batch was appended, by the clock of the log. */
  private measure({ bytes }: Batch): void {
    const now = performance.now();
    if (!this.clock || !this.observer || now - this.measuredAt < MEASURE_MS) return;
    this.measuredAt = now;
    const at = bytes.indexOf(TIMESTAMP) + TIMESTAMP.length;
    const appendedAt = Date.parse(bytes.toString('latin1', at, at + ISO_LENGTH));
    this.observer.received(Math.max(0, this.clock.now() - appendedAt));
  }

  private join(runId: string, after: number, sink: Sink, released = () => {}): () => void {
    const known = this.channels.get(runId);
    if (this.draining || known?.isLost) {
      released();
      sink.end();
      return () => undefined;
    }
    const channel = known ?? this.open(runId);
    this.timer ??= setInterval(() => this.everySecond(), TICK_MS);
    const follower = channel.follow(sink, after, () => {
      this.followers.delete(follower);
      released();
    });
    this.followers.add(follower);
    return () => channel.leave(follower);
  }

  private open(runId: string): RunChannel {
    const { feed } = runKeys(this.config.redisPrefix, runId);
    const channel = new RunChannel({
      followerBufferBytes: this.config.followerBufferBytes,
      ringBytes: () => Math.min(RING_MOST, RING_TOTAL / this.channels.size),
      read: (after, limit) => this.reads(() => this.log.read(runId, after, limit)),
      onError: (error) =>
        this.logger[error instanceof ConsiliumError ? 'debug' : 'warn'](
          `streams of run ${runId} were ended: ${String(error)}`,
        ),
      onLost: (seen) => this.recordLoss(runId, seen),
      onEmpty: () => {
        if (this.channels.get(runId) !== channel) return;
        this.channels.delete(runId);
        this.subscription.remove(feed);
      },
    });
    this.channels.set(runId, channel);
    // The log is read immediately, without waiting for the subscription. A later comparison finds
    // events in between.
    void this.listen(runId, channel);
    return channel;
  }

  private async listen(runId: string, channel: RunChannel): Promise<void> {
    try {
      await this.subscription.add(runKeys(this.config.redisPrefix, runId).feed);
      channel.subscribed();
      await this.compare(runId, channel);
    } catch {
      // The feed was closed, or Redis is unavailable: a heartbeat compares again.
    }
  }

  /**
   * Runs once a second for all followers: pings silent ones, disconnects stuck ones, and compares
   * received events with the logs at each heartbeat.
   */
  private everySecond(): void {
    if (this.followers.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    const silent = now - this.config.heartbeatSeconds * 1_000 + TICK_MS;
    for (const follower of this.followers) {
      if (follower.stuckMs(now) > this.config.followerStuckSeconds * 1_000) {
        this.stuck++;
        follower.sink.destroy();
      } else if (follower.wroteAt <= silent && follower.sink.backlog() === 0) follower.write(PING);
    }
    for (const channel of this.channels.values()) channel.trim();
    if (++this.tick % this.config.heartbeatSeconds === 0) void this.compareAll();
  }

  /** Detects a subscription that receives nothing, such as one on a half-open connection. */
  private async compareAll(): Promise<void> {
    const missed = [...this.channels].map(async ([runId, channel]) => {
      if (!(await this.compare(runId, channel))) return false;
      const { sequence } = channel.expectedLog;
      if (!channel.missed(sequence)) return false;
      // The message may still be on its way.
      await sleep(TICK_MS, undefined, { ref: false });
      return channel.size > 0 && channel.missed(sequence);
    });
    await this.subscription.check((await Promise.all(missed)).includes(true));
  }

  /** @returns whether the log could be read */
  private async compare(runId: string, channel: RunChannel): Promise<boolean> {
    try {
      const asked = channel.expectedLog;
      const tail = await this.log.tail(runId, asked.frame?.sequence);
      if (tail) channel.compare(tail, asked);
      else channel.lost('the run no longer exists');
      return true;
    } catch {
      // Redis is unavailable: the next heartbeat compares again.
      return false;
    }
  }

  /**
   * Records a loss. Retries until it succeeds or this process shuts down; clients then learn of it
   * from the log or from another process.
   */
  private async recordLoss(runId: string, seen: number): Promise<void> {
    await retry(() => this.log.markLost(runId, seen), {
      firstMs: TICK_MS / 2,
      longestMs: TICK_MS / 2,
      isFinal: () => this.draining,
    }).catch(() => undefined);
  }
}
