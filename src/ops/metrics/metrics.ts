import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Feed } from '../../streams/feed.js';
import { RunIndex } from '../../event-log/run-index.js';
import { QueuePort } from '../../queues/queue-port.js';

/** What there is to count, read when it is asked for: nothing is counted on the way of an event. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly followers = this.gauge(
    'consilium_followers',
    'Open event streams of this process',
  );
  private readonly followedRuns = this.gauge('consilium_followed_runs', 'Runs that they follow');
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

  /** The figures of Redis are left out while it is away. */
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
      // Readiness tells of it.
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
