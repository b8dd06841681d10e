import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { atMost } from '../lib/async.js';
import { Clock } from '../lib/clock.js';

const MEASURE_EVERY_MS = 10_000;
/** ms that the start waits for the first reply. */
const FIRST_MS = 1_000;

/**
 * The clock of Redis in this process: an offset to the monotonic clock, measured at the start,
 * after each reconnect and every 10 s. The clock of this machine may be wrong or jump; it is used
 * only until the first reply of Redis.
 */
export class StoreClock extends Clock implements OnModuleInit, OnApplicationShutdown {
  /** ms between the monotonic clock and the time of Redis. */
  private offset: number;
  private timer: NodeJS.Timeout | undefined;
  private readonly measureNow = (): void => void this.measure();

  constructor(
    private readonly redis: Pick<Redis, 'time' | 'on' | 'off'>,
    private readonly monotonic: () => number = () => performance.now(),
    wall: () => number = Date.now,
  ) {
    super();
    this.offset = wall() - this.monotonic();
  }

  override now(): number {
    return Math.round(this.monotonic() + this.offset);
  }

  async onModuleInit(): Promise<void> {
    this.redis.on('ready', this.measureNow);
    this.timer = setInterval(this.measureNow, MEASURE_EVERY_MS);
    this.timer.unref();
    await atMost(FIRST_MS, this.measure(), undefined);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.redis.off('ready', this.measureNow);
  }

  /**
   * Measures the offset; half of the round trip counts as the way back. Keeps the last offset if
   * Redis does not reply.
   */
  async measure(): Promise<void> {
    const asked = this.monotonic();
    try {
      const [seconds, micros] = await this.redis.time();
      const answered = this.monotonic();
      const at = Number(seconds) * 1_000 + Number(micros) / 1_000;
      this.offset = at - (asked + answered) / 2;
    } catch {
      // The next measurement follows in 10 s.
    }
  }
}
