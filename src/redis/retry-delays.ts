import { UnrecoverableError, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.js';
import { DAY_SECONDS } from '../lib/day.js';
import { JobDelays } from './job-delays.js';

const LOOK_EVERY_MS = 1_000;
/**
 * BullMQ's own delay is longer than the real one by this much, and holds only if the note of the
 * real one was lost.
 */
const FALLBACK_MS = DAY_SECONDS * 1_000;

/** Whether BullMQ will try a job again whose current attempt fails with this error. */
export const isTriedAgain = ({ attemptsMade, opts }: Job, error: unknown): boolean =>
  !(error instanceof UnrecoverableError) && attemptsMade + 1 < (opts.attempts ?? 1);

/** The pauses before retries of one BullMQ queue, by the clock of Redis. */
export class RetryDelays {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly delays: JobDelays) {}

  /** Notes the end of a pause. @returns the delay in ms for BullMQ */
  async note(jobId: string, pauseMs: number): Promise<number> {
    if (pauseMs <= 0) return 0;
    await this.delays.note(jobId, pauseMs);
    return pauseMs + FALLBACK_MS;
  }

  /** Ends pauses from now on, until `stop`. */
  start(): void {
    const next = () => {
      // A store that is unavailable is asked again.
      this.looking = this.delays
        .end()
        .catch(() => undefined)
        .finally(() => this.timer && (this.timer = setTimeout(next, LOOK_EVERY_MS).unref()));
    };
    this.timer = setTimeout(next, LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.looking;
  }
}

/**
 * Ends the pauses of a queue from now on, until `stop`.
 * @param key sorted set: jobs, by the end of their pause in ms
 */
export function startRetryDelays(
  { redis, clock, key }: { redis: Redis; clock: Clock; key: string },
  jobOf: (id: string) => Promise<Job | undefined>,
): RetryDelays {
  const delays = new RetryDelays(new JobDelays(redis, key, clock, jobOf));
  delays.start();
  return delays;
}
