import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Job, Worker } from 'bullmq';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { Queues, type AgentJob, type Role } from '../../queues/queues.js';
import { Leases } from './leases.js';

/** How long disconnecting may take. */
export const LEAVE_MS = 2_000;
/** How long BullMQ may take to close after the grace period: with Redis away it would never. */
const CLOSE_MS = 5_000;

type Process = (job: Job<AgentJob>, token: string) => Promise<void>;

/** Starts the job consumers of this process. */
@Injectable()
export class JobConsumers {
  constructor(
    private readonly queues: Queues,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** How often an agent may end its process before it fails. */
  get maxCrashes(): number {
    return this.config.maxCrashes;
  }

  /** Undefined in a process that only serves the API. */
  start(role: Role, process: Process): JobConsumer | undefined {
    if (this.config.role === 'api') return undefined;
    const worker = this.queues.worker(role, (job, token) => process(job, token as string));
    const { lockMs, shutdownGraceSeconds } = this.config;
    return new JobConsumer(role, worker, lockMs, shutdownGraceSeconds * 1_000);
  }
}

/** Takes jobs of one role off its queue, and holds their locks. */
export class JobConsumer {
  private readonly logger = new Logger(JobConsumer.name);
  private readonly leases: Leases;

  constructor(
    role: Role,
    private readonly worker: Worker<AgentJob>,
    lockMs: number,
    private readonly graceMs: number,
  ) {
    worker.on('error', (error) => this.logger.debug(`${role}: ${error.message}`));
    worker.on('failed', (job, error) =>
      this.logger.error({ msg: 'a job failed', role, job: job?.id, error: error.message }),
    );
    this.leases = new Leases((...locks) => worker.extendJobLocks(...locks), lockMs);
    // As BullMQ does if it starts by itself: nothing that it throws may end the process.
    worker.run().catch((error: unknown) => worker.emit('error', error as Error));
  }

  /** Holds the lock of a job, and calls `lost` when it is lost. @returns lets it go */
  hold(job: Job<AgentJob>, token: string, lost: () => void): () => void {
    return this.leases.hold(job.id as string, token, () => {
      const msg = 'the lock of a job was lost: its work stops here, and goes on in another process';
      this.logger.warn({ msg, job: job.id });
      lost();
    });
  }

  /**
   * Takes no more jobs, and waits for those at work.
   * @param handOver called after the grace period: what is still at work is to be left to other processes
   */
  async close(handOver: () => void): Promise<void> {
    const timer = setTimeout(handOver, this.graceMs);
    const late = await Promise.race([
      this.worker.close(),
      sleep(this.graceMs + CLOSE_MS, 'late', { ref: false }),
    ]);
    // What could not be said is found out: its jobs count as lost when their locks run out.
    if (late)
      await Promise.race([this.worker.disconnect(), sleep(LEAVE_MS, undefined, { ref: false })]);
    clearTimeout(timer);
    this.leases.close();
  }
}
