import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { collectDefaultMetrics } from 'prom-client';
import { RunIndex } from '../../event-log/run-index.js';
import { QueuePort } from '../../queues/queue-port.js';
import { REDIS } from '../../redis/redis-token.js';
import { Feed } from '../../streams/feed.js';
import { version } from '../system/system.controller.js';
import { Instruments } from '../telemetry/instruments.js';

/** The metrics of this process: what it counts, and gauges of it and of the queues, which are read at each scrape. */
@Injectable()
export class Metrics {
  constructor(
    private readonly instruments: Instruments,
    private readonly feed: Feed,
    private readonly index: RunIndex,
    private readonly queues: QueuePort,
    @Inject(REDIS) private readonly redis: Redis,
  ) {
    collectDefaultMetrics({ register: instruments.registry });
    instruments.buildInfo.set({ version }, 1);
  }

  /** Leaves out the figures of Redis while it is unavailable. */
  async scrape(): Promise<{ text: string; contentType: string }> {
    const { followers, runs } = this.feed.load;
    this.instruments.followersDropped.reset();
    this.instruments.followersDropped.inc(this.feed.dropped);
    this.instruments.followers.set(followers);
    this.instruments.followedRuns.set(runs);
    const { openRuns, jobs, oldestWaiting, redisMemory } = this.instruments;
    for (const gauge of [openRuns, jobs, oldestWaiting, redisMemory]) gauge.reset();
    // Readiness reports what is wrong.
    this.instruments.redisUp.set(
      await this.readStore()
        .then(() => 1)
        .catch(() => 0),
    );
    const { registry } = this.instruments;
    return { text: await registry.metrics(), contentType: registry.contentType };
  }

  private async readStore(): Promise<void> {
    const [open, counts, since, info] = await Promise.all([
      this.index.countOpen(),
      this.queues.counts(),
      this.queues.waitingSince(),
      // Some managed services do not show it.
      this.redis.info('memory').catch(() => ''),
    ]);
    this.instruments.openRuns.set(open);
    for (const { queue, state, count } of counts) {
      this.instruments.jobs.set({ queue, state }, count);
      this.instruments.oldestWaiting.set({ queue }, 0);
    }
    for (const [queue, at] of since)
      this.instruments.oldestWaiting.set({ queue }, Math.max(0, (Date.now() - at) / 1_000));
    for (const [of, field] of [
      ['used', 'used_memory'],
      ['allowed', 'maxmemory'],
    ] as const) {
      const bytes = new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1];
      if (bytes !== undefined) this.instruments.redisMemory.set({ of }, Number(bytes));
    }
  }
}
