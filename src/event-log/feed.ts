import { Inject, Injectable, Logger, OnApplicationShutdown, type BeforeApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { connect } from '../redis/connect.js';
import { EventLog } from './event-log.js';
import type { Follower, Sink } from './follower.js';
import { RunChannel } from './run-channel.js';

const PING = Buffer.from(': ping\n\n');

interface Channel {
  channel: RunChannel;
  /** Resolves when the subscription is in place. */
  subscribed: Promise<unknown>;
}

/**
 * Fans the logs of runs out to any number of followers on this node. One subscription a run, made by its first follower
 * and dropped by its last.
 */
@Injectable()
export class Feed implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(Feed.name);
  private readonly channels = new Map<string, Channel>();
  private readonly followers = new Set<Follower>();
  private subscriber: Redis | undefined;
  private wheel: NodeJS.Timeout | undefined;
  private tick = 0;
  private draining = false;

  constructor(
    private readonly log: EventLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Writes every frame after `after` to the sink, past and future, and ends it after the terminal event.
   * @returns stops following; may be called at any time, and is when the sink has closed
   */
  async follow(runId: string, after: number, sink: Sink): Promise<() => void> {
    const entry = this.channels.get(runId) ?? this.open(runId);
    await entry.subscribed;
    // It may have been closed by its last follower while we waited.
    if (this.channels.get(runId) !== entry) return this.follow(runId, after, sink);
    this.wheel ??= setInterval(() => this.turn(), 1_000);
    const follower = entry.channel.follow(sink, after, () => this.followers.delete(follower));
    this.followers.add(follower);
    return () => entry.channel.leave(follower);
  }

  /** To be asked before a stream begins. @throws ConsiliumError UNAVAILABLE when this node has as many followers as it may */
  admit(): void {
    if (this.draining) throw new ConsiliumError('UNAVAILABLE', 'This node is shutting down; try again', { retryAfterSeconds: 1 });
    if (this.followers.size < this.config.maxFollowers) return;
    throw new ConsiliumError('UNAVAILABLE', 'This node serves as many streams as it may; try again shortly', { retryAfterSeconds: 5 });
  }

  /** Followers on this node, and runs that they follow. */
  get load(): { followers: number; runs: number } {
    return { followers: this.followers.size, runs: this.channels.size };
  }

  /** Ends all streams at a frame boundary, so that clients resume elsewhere. */
  drain(): void {
    this.draining = true;
    for (const { channel } of this.channels.values()) channel.close();
  }

  beforeApplicationShutdown(): void {
    this.drain();
  }

  onApplicationShutdown(): void {
    this.drain();
    clearInterval(this.wheel);
    this.subscriber?.disconnect();
  }

  private open(runId: string): Channel {
    const { feed } = this.log.keys(runId);
    const channel = new RunChannel({
      followerBufferBytes: this.config.followerBufferBytes,
      followerStuckMs: this.config.followerStuckSeconds * 1_000,
      read: (after, limit) => this.log.read(runId, after, limit),
      onError: (error) => this.logger.warn(`streams of run ${runId} were ended: ${String(error)}`),
      onEmpty: () => {
        this.channels.delete(runId);
        this.subscriber?.unsubscribe(feed).catch(() => undefined);
      },
    });
    const entry = { channel, subscribed: this.connection().subscribe(feed) };
    entry.subscribed.catch(() => this.channels.delete(runId));
    this.channels.set(runId, entry);
    return entry;
  }

  private connection(): Redis {
    if (this.subscriber) return this.subscriber;
    this.subscriber = connect(this.config.redisUrl);
    this.subscriber.on('messageBuffer', (name: Buffer, message: Buffer) => {
      const runId = name.toString('latin1', name.indexOf('{') + 1, name.indexOf('}'));
      const cut = message.indexOf(10);
      const [first, last, sealed] = message.toString('latin1', 0, cut).split(' ');
      this.channels
        .get(runId)
        ?.channel.hear({ first: Number(first), last: Number(last), sealed: sealed === '1', bytes: message.subarray(cut + 1) });
    });
    // What was published while the connection was away was not heard.
    this.subscriber.on('ready', () => void this.compareAll());
    return this.subscriber;
  }

  /** Once a second, for all followers of the node: pings whoever has been silent, and compares what was heard with the logs. */
  private turn(): void {
    const silent = performance.now() - this.config.heartbeatSeconds * 1_000 + 1_000;
    for (const follower of this.followers) {
      if (follower.wroteAt > silent || follower.sink.backlog() > 0) continue;
      follower.sink.write(PING);
      follower.wroteAt = performance.now();
    }
    if (++this.tick % this.config.heartbeatSeconds === 0) void this.compareAll();
  }

  /** A subscription can be dead without a sign (a half-open connection): the log tells. */
  private async compareAll(): Promise<void> {
    await Promise.all(
      [...this.channels].map(async ([runId, { channel }]) => {
        try {
          const tail = await this.log.tail(runId);
          if (tail) channel.compare(tail.lastSequence, tail.sealed);
        } catch {
          // Redis is away: the next turn compares again.
        }
      }),
    );
  }
}
