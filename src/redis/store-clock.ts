import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { atMost } from '../lib/async.js';
import { Clock } from '../lib/clock.js';

const MEASURE_EVERY_MS = 10_000;
/** ms that the start waits for the first reply. */
const FIRST_MS = 1_000;
/** Number of requests of one measurement: the reply that arrived fastest is the most precise. */
const QUESTIONS = 5;
/** Maximum drift of two clocks: 100 ppm, which chrony assumes for an unknown clock. */
const DRIFT = 1e-4;

/**
 * The clock of Redis in this process: an offset to the monotonic clock, measured at the start,
 * after each reconnect and every 10 s. The clock of this machine may be wrong or jump; it is used
 * only until the first reply of Redis.
 */
export class StoreClock extends Clock implements OnModuleInit, OnApplicationShutdown {
  /** ms between the monotonic clock and the time of Redis. */
  private offset: number;
  /**
   * ms by which the offset may have been wrong when it was measured, and when that was on the
   * monotonic clock.
   */
  private measured = { doubt: Infinity, at: 0 };
  private timer: NodeJS.Timeout | undefined;
  private readonly measureNow = (): void => void this.measureWell();

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
    await atMost(FIRST_MS, this.measureWell(), undefined);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.redis.off('ready', this.measureNow);
  }

  private async measureWell(): Promise<void> {
    for (let asked = 0; asked < QUESTIONS; asked++) if (!(await this.measure())) return;
  }

  /**
   * Measures the offset; half of the round trip counts as the way back, and as its uncertainty. A
   * reply that this process handled late is less precise than an earlier one: it is ignored, unless
   * it shows that the clock of Redis was set. Keeps the last offset if Redis does not reply.
   * @returns whether it replied
   */
  async measure(): Promise<boolean> {
    const asked = this.monotonic();
    try {
      const [seconds, micros] = await this.redis.time();
      const answered = this.monotonic();
      const at = Number(seconds) * 1_000 + Number(micros) / 1_000;
      const offset = at - (asked + answered) / 2;
      const doubt = (answered - asked) / 2;
      const kept = this.measured.doubt + (answered - this.measured.at) * DRIFT;
      const wasSet = Math.abs(offset - this.offset) > doubt + kept;
      if (doubt <= kept || wasSet) {
        this.offset = offset;
        this.measured = { doubt, at: answered };
      }
      return true;
    } catch {
      // The next measurement follows in 10 s.
      return false;
    }
  }
}
