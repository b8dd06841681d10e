import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, WaitingChildrenError, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../config/config.js';
import { sharedWorkerConnection } from '../redis/connect.js';
import { queuePrefix } from '../redis/keys.js';
import { dispatchOf, QUEUE_NAMES, type AgentJob, type AgentRole } from './job-ids.js';
import {
  JobLostError,
  JobParked,
  type ChildState,
  type ConsumerOptions,
  type QueueConsumer,
  type QueuedJob,
} from './queue-port.js';

/**
 * ms after which a connection with an open request counts as half open. Longer than BullMQ's
 * longest wait for a job.
 */
const SILENT_MS = 12_000;

/** ms until a job is asked for again after an error. */
const ASK_AGAIN_MS = 1_000;

/**
 * BullMQ's error codes: job missing, lock missing, job not in that state, parent missing, lock of
 * another consumer.
 */
const LOST_CODES: readonly unknown[] = [-1, -2, -3, -5, -6];

/** BullMQ's error for a job that was parked. */
const PARKED = {
  delayed: () => new DelayedError(),
  'waiting-children': () => new WaitingChildrenError(),
  released: () => new WaitingError(),
};

/** BullMQ's error code: the job has children that have not ended. */
const CHILDREN_PENDING = -4;

/** A reference to a job, as its children store it. */
export interface ParentLink {
  id: string;
  /** With the prefix: `{consilium}:team-supervisor`. */
  queue: string;
}

/** The part of their queue that jobs need. */
interface JobActions {
  addChildren(
    parent: ParentLink,
    role: 'team_supervisor' | 'worker',
    children: AgentJob[],
  ): Promise<void>;
  /** Lets a consumer that waits at the marker of its queue look for jobs. */
  wakeConsumer(marker: string): Promise<unknown>;
  /** Records when a delay ends by the clock of the store. */
  noteDelay(id: string, ms: number): Promise<void>;
}

/**
 * The connection of all consumers of a process. BullMQ waits for jobs on connections of its own.
 */
export const connectConsumers = (config: Config): Redis =>
  sharedWorkerConnection(config.redisUrl, SILENT_MS);

/**
 * Runs a BullMQ worker for one role.
 * @param connection of {@link connectConsumers}
 */
export function consumeBullmq(
  role: AgentRole,
  { config, connection }: { config: Config; connection: Redis },
  { work, onError, onFailed }: ConsumerOptions,
  actions: JobActions,
): QueueConsumer {
  const concurrency = {
    global_supervisor: config.globalSupervisorConcurrency,
    team_supervisor: config.teamSupervisorConcurrency,
    worker: config.workerConcurrency,
    oracle: config.oracleConcurrency,
  }[role];
  const worker = new PatientWorker(
    QUEUE_NAMES[role],
    async (job, token) => {
      // The job's hash was lost and only its id was left. The sweeper adds the job again.
      if ((job.data as Partial<AgentJob>).runId === undefined) return;
      try {
        await work(new BullmqJob(job, token as string, actions));
      } catch (error) {
        throw error instanceof JobParked ? PARKED[error.how]() : error;
      }
    },
    {
      connection,
      prefix: queuePrefix(config.redisPrefix),
      concurrency,
      autorun: false,
      lockDuration: config.lockMs,
      stalledInterval: config.stallMs,
      // `Leases` extends the locks.
      skipLockRenewal: true,
      // The count of claims without progress detects crash loops. BullMQ counts every job of a
      // killed process as stalled.
      maxStalledCount: 1_000_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('error', onError);
  worker.on('failed', (job, error) => onFailed(job?.id, error));
  // Like BullMQ with autorun: an error of `run` must not end the process.
  worker.run().catch((error: unknown) => worker.emit('error', error as Error));
  return {
    extendLocks: (...locks) => worker.extendJobLocks(...locks),
    close: () => worker.close(),
    disconnect: () => worker.disconnect(),
  };
}

/**
 * Waits before it asks again for a job that Redis refuses to hand out, for example because its user
 * lacks a right: BullMQ asks again at once, and if its connection could not be set up, without
 * returning to the event loop.
 *
 * Brings a job back when its children have ended, if its work ended before them. BullMQ fails such
 * a job. An agent reads in the log that all have reported a moment before their jobs end, and a
 * child that is added again, because the outcome of adding it was not known, may be added after it
 * has ended.
 */
class PatientWorker extends Worker<AgentJob, void> {
  protected override async moveToActive(
    token: string,
    name?: string,
  ): Promise<Job<AgentJob, void>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await sleep(ASK_AGAIN_MS);
      throw error;
    }
  }

  protected override async handleCompleted(
    result: void,
    job: Job<AgentJob, void>,
    token: string,
    fetchNext?: () => boolean,
  ): Promise<Job<AgentJob, void>> {
    for (;;)
      try {
        return await super.handleCompleted(result, job, token, fetchNext);
      } catch (error) {
        if (codeOf(error) !== CHILDREN_PENDING) throw error;
        if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
      }
  }
}

class BullmqJob implements QueuedJob {
  constructor(
    private readonly job: Job<AgentJob>,
    readonly token: string,
    private readonly actions: JobActions,
  ) {}

  get id(): string {
    return this.job.id as string;
  }

  get data(): AgentJob {
    return this.job.data;
  }

  get stalls(): number {
    return this.job.stalledCounter ?? 0;
  }

  async delay(ms: number): Promise<never> {
    const pause = Math.max(0, ms);
    await this.actions.noteDelay(this.id, pause);
    // BullMQ compares with the clock of each process, which may be wrong: `endDelays` wakes what it
    // would keep for too long.
    await orLost(this.job.moveToDelayed(Date.now() + pause, this.token));
    throw new JobParked('delayed');
  }

  async release(): Promise<never> {
    await orLost(this.job.moveToWait(this.token));
    // BullMQ wakes no consumer that waits for a job with a priority.
    await this.actions.wakeConsumer(`${this.job.queueQualifiedName}:marker`);
    throw new JobParked('released');
  }

  async addChildren(role: 'team_supervisor' | 'worker', children: AgentJob[]): Promise<void> {
    const parent = { id: this.id, queue: this.job.queueQualifiedName };
    await orLost(this.actions.addChildren(parent, role, children));
  }

  async children(): Promise<Map<string, ChildState>> {
    const { processed, ignored, unprocessed } = await this.job.getDependencies();
    const children = new Map<string, ChildState>();
    const note = (keys: readonly string[], state: ChildState) => {
      for (const key of keys)
        children.set(dispatchOf(key.slice(key.lastIndexOf(':') + 1)) ?? '', state);
    };
    note(unprocessed ?? [], 'open');
    note([...Object.keys(processed ?? {}), ...Object.keys(ignored ?? {})], 'ended');
    return children;
  }

  async waitForChildren(): Promise<void> {
    if (await orLost(this.job.moveToWaitingChildren(this.token)))
      throw new JobParked('waiting-children');
  }
}

/** @throws JobLostError if BullMQ refuses because this process no longer holds the job */
async function orLost<T>(done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (cause) {
    if (cause instanceof Error && LOST_CODES.includes(codeOf(cause)))
      throw new JobLostError(cause.message, { cause });
    throw cause;
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
