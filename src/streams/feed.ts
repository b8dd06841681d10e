import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  OnApplicationShutdown,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import pLimit from 'p-limit';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { formatOf, type Format } from '../formats/registry.js';
import { EncodedViews } from './encoded-views.js';
import { runKeys } from '../event-log/keys.js';
import { LogPort } from '../event-log/log-port.js';
import type { Follower, Sink } from './follower.js';
import { RunChannel } from './run-channel.js';
import { Subscription } from './subscription.js';

const PING = Buffer.from(': ping\n\n');
const TICK_MS = 1_000;
/** Recent frames that all runs of the node may hold together, and one of them at most. */
const [RING_TOTAL, RING_MOST] = [2 ** 26, 2 ** 20];
/** Reads of logs that are under way at once: bounds what is in memory when many are behind. */
const READS = 16;
/** How long clients may take for what is on its way to them when the node goes away. */
const DRAIN_MS = 2_000;

/**
 * Fans the logs of runs out to any number of followers on this node. One subscription a run, made by its first follower
 * and dropped by its last.
 */
@Injectable()
export class Feed implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(Feed.name);
  private readonly channels = new Map<string, RunChannel>();
  private readonly followers = new Set<Follower>();
  /** Connections that have been admitted and are open. */
  private readonly seats = new Set<EventEmitter>();
  private readonly reads = pLimit(READS);
  private readonly views: EncodedViews;
  private readonly subscription: Subscription;
  private wheel: NodeJS.Timeout | undefined;
  private tick = 0;
  private draining = false;

  constructor(
    private readonly log: LogPort,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    const read = (runId: string, after: number, limit: number) =>
      this.reads(() => this.log.read(runId, after, limit));
    this.views = new EncodedViews(read);
    this.subscription = new Subscription(config.redisUrl, {
      heard: (runId, batch) => this.channels.get(runId)?.hear(batch),
      interrupted: () => this.channels.forEach((channel) => channel.interrupted()),
      restored: () => {
        this.channels.forEach((channel) => channel.subscribed());
        void this.compareAll();
      },
    });
  }

  /**
   * Writes every frame after `after` to the sink, past and future, and ends it after the terminal event. Where the log is gone,
   * or has lost its end, the sink is ended as it is.
   * @returns stops following; may be called at any time, and is when the sink has closed
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
   * To be asked before a stream begins.
   * @param connection holds a place from now until its `close`
   * @throws ConsiliumError UNAVAILABLE when this node has as many followers as it may, or is going away
   */
  admit(connection: EventEmitter): void {
    if (this.draining)
      throw new ConsiliumError('UNAVAILABLE', 'This node is shutting down; try again', {
        retryAfterSeconds: 1,
      });
    if (this.seats.size >= this.config.maxFollowers)
      throw new ConsiliumError(
        'UNAVAILABLE',
        'This node serves as many streams as it may; try again shortly',
        { retryAfterSeconds: 5 },
      );
    this.seats.add(connection);
    connection.once('close', () => this.seats.delete(connection));
  }

  /** Followers on this node, and runs that they follow. */
  get load(): { followers: number; runs: number } {
    return { followers: this.followers.size, runs: this.channels.size };
  }

  /** Ends all streams at a frame boundary, so that clients resume elsewhere. Takes no new ones. */
  async drain(): Promise<void> {
    this.draining = true;
    const closed = Promise.all([...this.channels.values()].map((channel) => channel.close()));
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
  }

  /** Before the server waits for its connections to end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.drain();
    clearInterval(this.wheel);
    this.subscription.close();
  }

  private join(runId: string, after: number, sink: Sink, released = () => {}): () => void {
    const known = this.channels.get(runId);
    if (this.draining || known?.isLost) {
      released();
      sink.end();
      return () => undefined;
    }
    const channel = known ?? this.open(runId);
    this.wheel ??= setInterval(() => this.turn(), TICK_MS);
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
      onLost: (seen) => this.remember(runId, seen),
      onEmpty: () => {
        if (this.channels.get(runId) !== channel) return;
        this.channels.delete(runId);
        this.subscription.remove(feed);
      },
    });
    this.channels.set(runId, channel);
    // The log is read at once, without waiting for the subscription; what falls between the two is found by comparing.
    void this.listen(runId, channel);
    return channel;
  }

  private async listen(runId: string, channel: RunChannel): Promise<void> {
    try {
      await this.subscription.add(runKeys(this.config.redisPrefix, runId).feed);
      channel.subscribed();
      await this.compare(runId, channel);
    } catch {
      // The feed was closed, or Redis is away: the heartbeats compare.
    }
  }

  /** Once a second, for all followers of the node: pings the silent, cuts the stuck, and now and then compares what was heard with the logs. */
  private turn(): void {
    if (this.followers.size === 0) {
      clearInterval(this.wheel);
      this.wheel = undefined;
      return;
    }
    const now = performance.now();
    const silent = now - this.config.heartbeatSeconds * 1_000 + TICK_MS;
    for (const follower of this.followers) {
      if (follower.stuckMs(now) > this.config.followerStuckSeconds * 1_000) follower.sink.destroy();
      else if (follower.wroteAt <= silent && follower.sink.backlog() === 0) follower.write(PING);
    }
    for (const channel of this.channels.values()) channel.trim();
    if (++this.tick % this.config.heartbeatSeconds === 0) void this.compareAll();
  }

  /** A subscription can be dead without a sign (a half-open connection): the log tells. */
  private async compareAll(): Promise<void> {
    const missed = [...this.channels].map(async ([runId, channel]) => {
      if (!(await this.compare(runId, channel))) return false;
      const { sequence } = channel.lastKnown;
      if (!channel.missed(sequence)) return false;
      // It may still be on its way.
      await sleep(TICK_MS, undefined, { ref: false });
      return channel.size > 0 && channel.missed(sequence);
    });
    await this.subscription.check((await Promise.all(missed)).includes(true));
  }

  /** @returns whether the log could be asked */
  private async compare(runId: string, channel: RunChannel): Promise<boolean> {
    try {
      const asked = channel.lastKnown;
      const tail = await this.log.tail(runId, asked.frame?.sequence);
      if (tail) channel.compare(tail, asked);
      else channel.lost('there is no such run any more');
      return true;
    } catch {
      // Redis is away: the next turn compares again.
      return false;
    }
  }

  /** Until it is, or the node goes away: then its clients find out from the log, or from another node. */
  private async remember(runId: string, seen: number): Promise<void> {
    while (!this.draining) {
      try {
        return await this.log.markLost(runId, seen);
      } catch {
        await sleep(TICK_MS / 2, undefined, { ref: false });
      }
    }
  }
}
