import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { checkStore } from './check-store.js';
import type { Judgement } from './judge-store.js';
import { REDIS } from './redis-token.js';

/** How long the start waits for a Redis that does not answer. It is looked at as soon as it does. */
const PATIENCE_MS = 3_000;
/** A connection that comes back sooner is not worth a line in the log. */
const AWAY_MS = 1_000;
/** Within that time of each other the processes of the service have their connections back, and have compared what they know. */
const SETTLE_MS = 5_000;

/**
 * Looks at the Redis before anything is done with it, and whenever there is a new connection: it may be another one then, with
 * other settings. One that cannot be trusted with runs ends the start; later it makes this process not ready. Tells the log
 * when it goes away, and when it is back.
 */
@Injectable()
export class StoreWatch implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(StoreWatch.name);
  private judged: Judgement = { refused: [], warned: [] };
  /** ms, monotonic: since when there is this connection, or none. */
  private since = performance.now();
  private away = false;
  private timer: NodeJS.Timeout | undefined;
  private reason = 'it does not answer';

  constructor(@Inject(REDIS) private readonly redis: Redis) {
    redis.on('error', (error: Error) => (this.reason = error.message));
    redis.on('close', this.gone);
    redis.on('ready', this.back);
    if (redis.status !== 'ready') this.gone();
  }

  /** What is known to be wrong with the Redis of now. */
  get judgement(): Judgement {
    return this.judged;
  }

  /** Whether this connection is so old that other processes have theirs, too, if it was Redis that had gone. */
  get isSettled(): boolean {
    return performance.now() - this.since >= SETTLE_MS;
  }

  /** Waits until it is. */
  async settled(): Promise<void> {
    while (!this.isSettled) await sleep(this.since + SETTLE_MS - performance.now());
  }

  async onModuleInit(): Promise<void> {
    await Promise.race([this.look(), sleep(PATIENCE_MS, undefined, { ref: false })]);
    if (this.judged.refused.length > 0)
      throw new Error(['This Redis cannot be used:', ...this.judged.refused].join('\n  '));
    this.redis.on('ready', () => void this.look());
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.redis.off('close', this.gone);
  }

  private readonly gone = (): void => {
    if (this.timer || this.away) return;
    this.since = performance.now();
    this.timer = setTimeout(() => {
      this.away = true;
      this.logger.warn(
        `Redis is away: ${this.reason}. Work waits for it, requests are answered 503.`,
      );
    }, AWAY_MS);
    this.timer.unref();
  };

  private readonly back = (): void => {
    const seconds = ((performance.now() - this.since) / 1_000).toFixed(1);
    clearTimeout(this.timer);
    if (this.away) this.logger.log(`Redis is back after ${seconds} s.`);
    [this.timer, this.away, this.since] = [undefined, false, performance.now()];
  };

  private async look(): Promise<void> {
    try {
      const before = [...this.judged.refused, ...this.judged.warned];
      this.judged = await checkStore(this.redis);
      for (const line of this.judged.refused) if (!before.includes(line)) this.logger.error(line);
      for (const line of this.judged.warned) if (!before.includes(line)) this.logger.warn(line);
    } catch {
      // It has gone again: it will be ready again.
    }
  }
}
