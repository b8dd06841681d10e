import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Queue, Worker, type Job } from 'bullmq';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { Redis } from 'ioredis';
import { Clock } from '../lib/clock.js';
import { workerConnection } from '../redis/connect.js';
import { queuePrefix, retriesKey } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';
import { isTriedAgain, startRetryDelays, type RetryDelays } from '../redis/retry-delays.js';
import { asJobError } from './job-error.js';
import { ScheduledRuns } from './scheduled-runs.js';
import { SCHEDULES_FILE } from './schedules-file-token.js';
import type { SchedulesFile } from './schedules-file.js';

const NAME = 'schedules';
const SILENT_MS = 12_000;
/**
 * A start that fails because the store is away or a limit of the tenant is reached is tried again
 * for half an hour.
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
  private queue: Queue<{ schedule: string }> | undefined;
  private worker: Worker<{ schedule: string }> | undefined;
  private delays: RetryDelays | undefined;
  private updated: Promise<void> = Promise.resolve();
  private readonly releases: (() => void)[] = [];

  constructor(
    private readonly runs: ScheduledRuns,
    @Inject(SCHEDULES_FILE) private readonly file: SchedulesFile,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(REDIS) private readonly redis: Redis,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.file.schedules.length === 0) return;
    this.queue = new Queue(NAME, this.connection());
    this.queue.on('error', () => undefined);
    // The service starts also while Redis is away; the schedules follow when it is back.
    this.updated = this.update(this.queue)
      .then(() => this.warnOfFaults())
      .catch((error: unknown) =>
        this.logger.error({ msg: 'could not update the schedules', error: String(error) }),
      );
    const { queue } = this;
    const { redis, clock } = this;
    const key = retriesKey(this.config.redisPrefix, NAME);
    const delays = startRetryDelays({ redis, clock, key }, (id) => queue.getJob(id));
    this.delays = delays;
    this.worker = new Worker(NAME, (job) => this.work(job), {
      ...this.connection(),
      lockDuration: this.config.lockMs,
      stalledInterval: this.config.stallMs,
      maxStalledCount: 100,
      settings: {
        backoffStrategy: (attemptsMade, _type, _error, job) =>
          delays.note(job?.id ?? '', FIRST_PAUSE_MS * 2 ** (attemptsMade - 1)),
      },
    });
    this.worker.on('error', () => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker?.close();
    await this.delays?.stop();
    await this.queue?.close();
    this.releases.forEach((release) => release());
  }

  /** When each schedule starts its next run, ms since 1970, by its id. */
  async next(): Promise<Map<string, number>> {
    await this.updated;
    const known = (await this.queue?.getJobSchedulers(0, -1)) ?? [];
    return new Map(known.flatMap(({ key, next }) => (next === undefined ? [] : [[key, next]])));
  }

  /** Makes the schedulers of the queue those of the file. */
  private async update(queue: Queue<{ schedule: string }>): Promise<void> {
    const { schedules } = this.file;
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
   * A topology may be stored later, so that a schedule without one keeps no process from starting.
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

  private connection() {
    const { redisUrl, redisPrefix } = this.config;
    const { connection, release } = workerConnection(redisUrl, SILENT_MS);
    this.releases.push(release);
    return { connection, prefix: queuePrefix(redisPrefix) };
  }
}
