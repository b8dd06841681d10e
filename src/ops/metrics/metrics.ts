import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { collectDefaultMetrics } from 'prom-client';
import { redactions } from '../../lib/redactions.js';
import { REDIS } from '../../redis/redis-token.js';
import { timeCommands } from '../../redis/time-commands.js';
import { RunAdmission } from '../../runs/run-admission.js';
import { Feed } from '../../streams/feed.js';
import { version } from '../system/system.controller.js';
import { Instruments } from '../telemetry/instruments.js';
import { StoreFigures } from './store-figures.js';

/**
 * The metrics of this process: its counters, and gauges of it and of the queues, which are read at
 * each scrape.
 */
@Injectable()
export class Metrics {
  constructor(
    private readonly instruments: Instruments,
    private readonly feed: Feed,
    private readonly store: StoreFigures,
    private readonly admission: RunAdmission,
    @Inject(REDIS) redis: Redis,
  ) {
    timeCommands(redis, (seconds) => instruments.redisSeconds.observe(seconds));
    collectDefaultMetrics({ register: instruments.registry });
    instruments.buildInfo.set({ version }, 1);
  }

  /** Leaves out the figures of Redis while it is unavailable. */
  async scrape(): Promise<{ text: string; contentType: string }> {
    const { followers, runs } = this.feed.load;
    this.instruments.followersDropped.reset();
    this.instruments.followersDropped.inc(this.feed.dropped);
    this.instruments.redactions.reset();
    for (const [detector, count] of redactions)
      this.instruments.redactions.inc({ detector }, count);
    this.instruments.quotaUsed.reset();
    for (const [limit, share] of this.admission.takeUsed())
      this.instruments.quotaUsed.set({ limit }, share);
    for (const [limit, most] of this.admission.limits)
      this.instruments.quotaLimit.set({ limit }, most);
    this.instruments.followers.set(followers);
    this.instruments.followedRuns.set(runs);
    await this.store.read();
    const { registry } = this.instruments;
    return { text: await registry.metrics(), contentType: registry.contentType };
  }
}
