import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Job } from 'bullmq';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { Redis } from 'ioredis';
import { Clock } from '../lib/clock.js';
import { RetriedQueue } from '../redis/retried-queue.js';
import { REDIS } from '../redis/redis-token.js';
import { isTriedAgain } from '../redis/retry-delays.js';
import { asJobError } from './job-error.js';
import { ScheduledRuns } from './scheduled-runs.js';
import { SCHEDULES_FILE } from './schedules-file-token.js';
import type { SchedulesFile } from './schedules-file.js';

const NAME = 'schedules';
/**
 * A start that fails because the store cannot be reached or a limit of the tenant is reached is
 * retried for half an hour.
 */
const ATTEMPTS = { attempts: 12, backoff: { type: 'custom' } } as const;
/** ms before the first of these attempts; each further pause is twice as long. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Keeps the schedules of SCHEDULES_FILE as job schedulers of BullMQ: of several processes, one
 * starts each run.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Schedules');
  private readonly jobs: RetriedQueue<{ schedule: string }>;
  private updated: Promise<void> = Promise.resolve();

  constructor(
    private readonly runs: ScheduledRuns,
    @Inject(SCHEDULES_FILE) private readonly file: SchedulesFile,
    @Inject(CONFIG) config: Config,
    @Inject(REDIS) redis: Redis,
    clock: Clock,
  ) {
    this.jobs = new RetriedQueue(NAME, config, redis, clock);
  }

  onApplicationBootstrap(): void {
    if (this.file.schedules.length === 0) return;
    // The service starts even if Redis cannot be reached; the schedules follow when it is back.
    this.updated = this.update()
      .then(() => this.warnOfFaults())
      .catch((error: unknown) =>
        this.logger.error({ msg: 'could not update the schedules', error: String(error) }),
      );
    this.jobs.consume({
      work: (job) => this.work(job),
      pauseMs: (attemptsMade) => FIRST_PAUSE_MS * 2 ** (attemptsMade - 1),
      concurrency: 1,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.jobs.close();
  }

  /** When each schedule starts its next run, ms since 1970, by its id. */
  async next(): Promise<Map<string, number>> {
    if (this.file.schedules.length === 0) return new Map();
    await this.updated;
    const known = await this.jobs.queue.getJobSchedulers(0, -1);
    return new Map(known.flatMap(({ key, next }) => (next === undefined ? [] : [[key, next]])));
  }

  /** Replaces the schedulers of the queue by those of the file. */
  private async update(): Promise<void> {
    const { schedules } = this.file;
    const { queue } = this.jobs;
    for (const { key } of await queue.getJobSchedulers(0, -1))
      if (!schedules.some(({ id }) => id === key)) await queue.removeJobScheduler(key);
    for (const { id, cron, timezone } of schedules)
      await queue.upsertJobScheduler(
        id,
        { pattern: cron, tz: timezone },
        {
          data: { schedule: id },
          opts: { ...ATTEMPTS, removeOnComplete: true, removeOnFail: true },
        },
      );
  }

  /**
   * A topology may be stored later, so that a schedule without one does not prevent the start of a
   * process.
   */
  private async warnOfFaults(): Promise<void> {
    for (const schedule of this.file.schedules) {
      const fault = await this.runs.faultOf(schedule);
      if (fault !== undefined)
        this.logger.warn({
          msg: 'a schedule cannot start runs',
          schedule: schedule.id,
          tenant: schedule.tenant,
          fault,
        });
    }
  }

  private async work(job: Job<{ schedule: string }>): Promise<void> {
    const id = job.data.schedule;
    const schedule = this.file.schedules.find((each) => each.id === id);
    // A process with another file may have made it.
    if (!schedule) return;
    try {
      await this.runs.start(schedule, job.id ?? '');
    } catch (error) {
      const jobError = asJobError(error);
      this.logger.error({
        msg: 'a scheduled run did not start',
        schedule: id,
        attempt: job.attemptsStarted,
        triedAgain: isTriedAgain(job, jobError),
        error: String(error),
      });
      throw jobError;
    }
  }
}
