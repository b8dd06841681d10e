import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.js';

/** Forgets a delay unless the job was delayed again. KEYS: delays. ARGV: job, time in ms. */
const FORGET = `
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if at and tonumber(at) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end`;

/**
 * The ends of delays of BullMQ's jobs, by the clock of Redis. BullMQ times a delay with the clock
 * of the process that delays the job, and ends it with that of any other one: both may be wrong.
 */
export class JobDelays {
  /** @param key sorted set: jobs, by the end of their delay in ms */
  constructor(
    private readonly redis: Pick<Redis, 'zadd' | 'zrange' | 'eval'>,
    private readonly key: string,
    private readonly clock: Clock,
    private readonly jobOf: (id: string) => Promise<Job | undefined>,
  ) {}

  /** Notes the end of a delay, before the job is delayed. */
  async note(jobId: string, ms: number): Promise<void> {
    await this.redis.zadd(this.key, this.clock.now() + ms, jobId);
  }

  /** Ends the delays that are over, once. @throws if the store is unavailable */
  async end(): Promise<void> {
    const now = this.clock.now();
    for (const id of await this.redis.zrange(this.key, '-inf', `${now}`, 'BYSCORE')) {
      const job = await this.jobOf(id);
      const state = await job?.getState();
      // Its process is about to delay it.
      if (state === 'active') continue;
      if (job && state === 'delayed') {
        // Another process may promote the job first.
        await job.promote().catch(() => undefined);
        if (await job.isDelayed()) continue;
      }
      await this.redis.eval(FORGET, 1, this.key, id, now);
    }
  }
}
