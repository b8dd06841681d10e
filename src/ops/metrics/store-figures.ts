import { Injectable } from '@nestjs/common';
import { RunIndex } from '../../event-log/run-index.js';
import { QueuePort } from '../../queues/queue-port.js';
import { Instruments } from '../telemetry/instruments.js';
import { BreakerStates } from './breaker-states.js';
import { RedisFigures } from './redis-figures.js';

const BREAKER = { closed: 0, 'half-open': 0.5, open: 1 } as const;

/**
 * Figures of the whole service, which the store has: runs, queues, memory, and breakers of models.
 */
@Injectable()
export class StoreFigures {
  constructor(
    private readonly instruments: Instruments,
    private readonly index: RunIndex,
    private readonly queues: QueuePort,
    private readonly breakers: BreakerStates,
    private readonly ofRedis: RedisFigures,
  ) {}

  /** Sets the gauges; leaves them out while Redis is unavailable. */
  async read(): Promise<void> {
    const { openRuns, jobs, oldestWaiting, modelBreakerOpen } = this.instruments;
    for (const gauge of [openRuns, jobs, oldestWaiting, modelBreakerOpen]) gauge.reset();
    this.ofRedis.reset();
    // Readiness reports what is wrong.
    this.instruments.redisUp.set(
      await this.readAll()
        .then(() => 1)
        .catch(() => 0),
    );
  }

  private async readAll(): Promise<void> {
    const [open, counts, since, states] = await Promise.all([
      this.index.countOpen(),
      this.queues.counts(),
      this.queues.waitingSince(),
      this.breakers.read(),
      this.ofRedis.read(),
    ]);
    this.instruments.openRuns.set(open);
    for (const [model, state] of states)
      this.instruments.modelBreakerOpen.set({ model }, BREAKER[state]);
    for (const { queue, state, count } of counts) {
      this.instruments.jobs.set({ queue, state }, count);
      this.instruments.oldestWaiting.set({ queue }, 0);
    }
    // BullMQ stamps a job with the clock of the process that adds it.
    for (const [queue, at] of since)
      this.instruments.oldestWaiting.set({ queue }, Math.max(0, (Date.now() - at) / 1_000));
  }
}
