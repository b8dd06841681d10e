import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Redis } from 'ioredis';
import { atMost } from '../lib/async.js';
import { checkStore } from './check-store.js';
import type { Judgement } from './judge-store.js';
import { REDIS } from './redis-token.js';

/** ms that the start waits for a Redis that does not reply. It is checked when it replies. */
const PATIENCE_MS = 3_000;
/** Shorter disconnects are not logged. */
const AWAY_MS = 1_000;
/** ms within which all processes of the service reconnect and compare their state. */
const SETTLE_MS = 5_000;

/**
 * Checks the Redis at the start and after each reconnect, because it may be another server with
 * other settings then. An unusable Redis ends the start; later, it makes this process not ready.
 * Logs when the connection is lost and when it is back.
 */
@Injectable()
export class StoreWatch implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(StoreWatch.name);
  private judged: Judgement = { refused: [], warned: [] };
  /** Monotonic time in ms of the last connect or disconnect. */
  private since = performance.now();
  private away = false;
  private timer: NodeJS.Timeout | undefined;
  private reason = 'it does not reply';

  constructor(@Inject(REDIS) private readonly redis: Redis) {
    redis.on('error', (error: Error) => (this.reason = error.message));
    redis.on('close', this.gone);
    redis.on('ready', this.back);
    if (redis.status !== 'ready') this.gone();
  }

  /** Faults and warnings of the current Redis. */
  get judgement(): Judgement {
    return this.judged;
  }

  /** Whether the connection is old enough that other processes have reconnected, too. */
  get isSettled(): boolean {
    return performance.now() - this.since >= SETTLE_MS;
  }

  /** Waits until `isSettled`. */
  async settled(): Promise<void> {
    while (!this.isSettled) await sleep(this.since + SETTLE_MS - performance.now());
  }

  async onModuleInit(): Promise<void> {
    await atMost(PATIENCE_MS, this.look(), undefined);
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
        `Redis is unavailable: ${this.reason}. Work is paused and requests fail with 503 until it is back.`,
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
      // Disconnected again: the next `ready` repeats the check.
    }
  }
}
