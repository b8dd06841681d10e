import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Feed } from '../../streams/feed.js';
import { RunIndex } from '../../event-log/run-index.js';
import { QueuePort } from '../../queues/queue-port.js';

/**
 * Gauges of this process and of the queues. They are read at each scrape; events are not counted as
 * they pass.
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly followers = this.gauge(
    'consilium_followers',
    'Open event streams of this process',
  );
  private readonly followedRuns = this.gauge(
    'consilium_followed_runs',
    'Runs that these streams follow',
  );
  private readonly openRuns = this.gauge(
    'consilium_open_runs',
    'Accepted runs that have not ended',
  );
  private readonly jobs = this.gauge('consilium_jobs', 'Jobs by queue and state', [
    'queue',
    'state',
  ]);

  constructor(
    private readonly feed: Feed,
    private readonly index: RunIndex,
    private readonly queues: QueuePort,
  ) {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Leaves out the figures of Redis while it is unavailable. */
  async scrape(): Promise<{ text: string; contentType: string }> {
    const { followers, runs } = this.feed.load;
    this.followers.set(followers);
    this.followedRuns.set(runs);
    this.openRuns.reset();
    this.jobs.reset();
    try {
      const [open, counts] = await Promise.all([this.index.countOpen(), this.queues.counts()]);
      this.openRuns.set(open);
      for (const { queue, state, count } of counts) this.jobs.set({ queue, state }, count);
    } catch {
      // Readiness reports it.
    }
    return { text: await this.registry.metrics(), contentType: this.registry.contentType };
  }

  private gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }
}
