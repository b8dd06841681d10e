import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { Feed } from '../../streams/feed.js';
import { version } from '../system/system.controller.js';
import { Instruments } from '../telemetry/instruments.js';
import { StoreFigures } from './store-figures.js';

/** The metrics of this process: what it counts, and gauges of it and of the queues, which are read at each scrape. */
@Injectable()
export class Metrics {
  constructor(
    private readonly instruments: Instruments,
    private readonly feed: Feed,
    private readonly store: StoreFigures,
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
    await this.store.read();
    const { registry } = this.instruments;
    return { text: await registry.metrics(), contentType: registry.contentType };
  }
}
