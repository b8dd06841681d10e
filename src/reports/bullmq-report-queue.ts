import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { UnrecoverableError, WaitingError, type Job } from 'bullmq';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { Redis } from 'ioredis';
import { Clock } from '../lib/clock.js';
import { DAY_SECONDS } from '../lib/day.js';
import { RetriedQueue } from '../redis/retried-queue.js';
import { REDIS } from '../redis/redis-token.js';
import { isTriedAgain } from '../redis/retry-delays.js';
import {
  ReportQueue,
  type SendResult,
  type ReportJob,
  type ReportState,
  type TakenReport,
} from './report-queue.js';
import { REPORTS_FILE } from './reports-file-token.js';
import type { ReportsFile } from './reports-file.js';

const NAME = 'reports';
const CONCURRENCY = 10;
/** How long a job is remembered after its end, so that its run cannot add it again. */
const KEPT = { age: 7 * DAY_SECONDS, count: 10_000 };
/** Maximum pause that a receiver may request. */
const MOST_PAUSE_MS = 3_600_000;

class TryAgain extends Error {
  constructor(
    reason: string,
    readonly retryAfterMs: number,
  ) {
    super(reason);
  }
}

/** The error of an attempt that failed, for BullMQ. */
function errorOf(outcome: Exclude<SendResult, { kind: 'sent' }>): Error {
  if (outcome.kind === 'dropped') return new UnrecoverableError(outcome.reason);
  const pauseMs = Math.min((outcome.retryAfterSeconds ?? 0) * 1_000, MOST_PAUSE_MS);
  return new TryAgain(outcome.reason, pauseMs);
}

/** A job id has no `:`. */
const idOf = ({ runId, destination }: ReportJob): string => `${runId}.${destination}`;

/** The queue of reports on BullMQ. */
@Injectable()
export class BullmqReportQueue extends ReportQueue implements OnApplicationShutdown {
  private readonly logger = new Logger('Reports');
  private readonly jobs: RetriedQueue<ReportJob>;
  private readonly closing = new AbortController();

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(REPORTS_FILE) private readonly file: ReportsFile,
    @Inject(REDIS) redis: Redis,
    clock: Clock,
  ) {
    super();
    this.jobs = new RetriedQueue(NAME, config, redis, clock);
  }

  override async add(job: ReportJob): Promise<void> {
    await this.jobs.queue.add('report', job, {
      jobId: idOf(job),
      attempts: this.file.retrySeconds.length + 1,
      backoff: { type: 'custom' },
      removeOnComplete: KEPT,
      removeOnFail: KEPT,
    });
  }

  override async stateOf(wanted: ReportJob): Promise<ReportState | undefined> {
    const job = await this.jobs.job(idOf(wanted));
    if (!job) return undefined;
    const state = await job.getState();
    const status = state === 'completed' ? 'sent' : state === 'failed' ? 'failed' : 'waiting';
    const { attemptsStarted = 0, failedReason } = job;
    return { status, attempts: attemptsStarted, reason: failedReason || null };
  }

  override consume(work: (job: TakenReport) => Promise<SendResult>): void {
    const pauses = this.file.retrySeconds;
    this.jobs.consume({
      work: (job, token) => this.attempt(job, token, work),
      pauseMs: (attemptsMade, error) =>
        Math.max(
          (pauses[attemptsMade - 1] ?? pauses.at(-1) ?? 0) * 1_000,
          error instanceof TryAgain ? error.retryAfterMs : 0,
        ),
      concurrency: CONCURRENCY,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.jobs.close();
  }

  private async attempt(
    job: Job<ReportJob>,
    token: string | undefined,
    work: (job: TakenReport) => Promise<SendResult>,
  ): Promise<void> {
    const attempt = Math.max(1, job.attemptsStarted);
    const outcome = await work({ ...job.data, attempt, signal: this.closing.signal });
    if (outcome.kind === 'sent') return;
    if (outcome.kind === 'again' && this.closing.signal.aborted) {
      // The end of this process is no fault of the destination: another process takes the job with
      // the same attempts left.
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const error = errorOf(outcome);
    this.logger.warn({
      msg: 'a report was not sent',
      ...job.data,
      attempt,
      triedAgain: isTriedAgain(job, error),
      reason: outcome.reason,
    });
    throw error;
  }
}
