import { Inject, Injectable, Logger } from '@nestjs/common';
import { atMost } from '../../lib/async.js';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import type { AgentRole } from '../../queues/job-ids.js';
import { QueuePort, type QueueConsumer, type QueuedJob } from '../../queues/queue-port.js';
import { reportDenied } from '../../redis/store-failure.js';
import { Leases } from './leases.js';

/** Maximum time of disconnecting. */
export const LEAVE_MS = 2_000;
/**
 * Maximum time in which the queue closes after the grace period: without Redis it would never
 * close.
 */
const CLOSE_MS = 5_000;

/** Starts the job consumers of this process. */
@Injectable()
export class JobConsumers {
  constructor(
    private readonly queues: QueuePort,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** How often an agent may crash its process before it fails. */
  get maxCrashes(): number {
    return this.config.maxCrashes;
  }

  /** Undefined in a process that only serves the API. */
  start(role: AgentRole, work: (job: QueuedJob) => Promise<void>): JobConsumer | undefined {
    if (this.config.role === 'api') return undefined;
    const logger = new Logger(JobConsumer.name);
    const consumer = this.queues.consume(role, {
      work,
      onError: (error) => {
        reportDenied(error, logger);
        logger.debug(`${role}: ${error.message}`);
      },
      onFailed: (job, error) =>
        logger.error({ msg: 'a job failed', role, job, error: error.message }),
    });
    const { lockMs, shutdownGraceSeconds } = this.config;
    return new JobConsumer(consumer, lockMs, shutdownGraceSeconds * 1_000);
  }
}

/** Takes jobs of one role off its queue, and holds their locks. */
export class JobConsumer {
  private readonly logger = new Logger(JobConsumer.name);
  private readonly leases: Leases;

  constructor(
    private readonly consumer: QueueConsumer,
    lockMs: number,
    private readonly graceMs: number,
  ) {
    this.leases = new Leases((...locks) => consumer.extendLocks(...locks), lockMs);
  }

  /**
   * Holds the lock of a job, and calls `lost` when it is lost.
   * @returns releases it
   */
  hold(job: QueuedJob, lost: () => void): () => void {
    return this.leases.hold(job.id, job.token, () => {
      const msg = 'the lock of a job was lost: its work stops here, and goes on in another process';
      this.logger.warn({ msg, job: job.id });
      lost();
    });
  }

  /**
   * Stops taking jobs, and waits for those that run.
   * @param handOver called after the grace period: the remaining work is left to other processes
   */
  async close(handOver: () => void): Promise<void> {
    const timer = setTimeout(handOver, this.graceMs);
    const late = await atMost(this.graceMs + CLOSE_MS, this.consumer.close(), 'late');
    // Jobs whose state could not be reported count as lost when their locks expire.
    if (late) await atMost(LEAVE_MS, this.consumer.disconnect(), undefined);
    clearTimeout(timer);
    this.leases.close();
  }
}
