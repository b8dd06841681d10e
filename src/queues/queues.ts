import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Queue, Worker, type JobsOptions, type Processor } from 'bullmq';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { connect, workerConnection } from '../redis/connect.js';
import { writeOnceATick } from '../redis/write-once-a-tick.js';

/** The queues, one for each role of an agent: a full worker queue does not keep supervisors waiting. */
export const QUEUE_NAMES = {
  global_supervisor: 'global-supervisor',
  team_supervisor: 'team-supervisor',
  worker: 'worker',
  oracle: 'oracle',
} as const;
export type Role = keyof typeof QUEUE_NAMES;
/** The agents that nobody has sent. */
export type Top = 'global_supervisor' | 'oracle';

/** Who is to work on what. All that a job says: the rest is in the log. */
export interface AgentJob {
  runId: string;
  /** Null for the agent at the top. */
  dispatchId: string | null;
  agentId: string;
  task: string;
}

/** The same for the same piece of work, so that adding it again is harmless. No integer, and no `:` (BullMQ's separator). */
export const jobIdOf = (
  { runId, dispatchId }: Pick<AgentJob, 'runId' | 'dispatchId'>,
  top: Top = 'global_supervisor',
): string => (dispatchId === null ? topJobId(runId, top) : `${runId}.${dispatchId}`);

/** Of an agent at the top. */
const topJobId = (runId: string, top: Top): string =>
  top === 'oracle' ? `${runId}.oracle` : runId;

/** Dispatches are numbered by their senders: `d1` is a team's, `d1_2` that of its second worker. */
const roleOf = (dispatchId: string): 'team_supervisor' | 'worker' =>
  dispatchId.includes('_') ? 'worker' : 'team_supervisor';

/** The role of a job, by its id. */
function roleOfJob(id: string): Role {
  const [, rest] = id.split('.');
  if (rest === undefined) return 'global_supervisor';
  return rest === 'oracle' ? 'oracle' : roleOf(rest);
}

/** A job as its children know it. */
export interface ParentLink {
  id: string;
  /** With the prefix: `{consilium}:team-supervisor`. */
  queue: string;
}

const CONNECTION_TIMEOUT_MS = 5_000;
/** A worker's connection that is silent for so long though it owes an answer may be half open. Above BullMQ's longest wait for a job. */
const SILENT_MS = 12_000;
const OPTIONS: JobsOptions = { removeOnComplete: true, removeOnFail: true };

/** BullMQ's codes for: no such job, no lock, not in that state, no such parent, the lock is another's. */
const LOST_CODES: readonly unknown[] = [-1, -2, -3, -5, -6];

/** Whether BullMQ refused something because the job is no longer this process's: another has it, or it was removed. */
export const isJobLost = (error: unknown): boolean =>
  error instanceof Error && LOST_CODES.includes((error as { code?: unknown }).code);

/** BullMQ as this service uses it: jobs carry work to processes, and nothing else; what has come of it is in the log. */
@Injectable()
export class Queues implements OnApplicationShutdown {
  private readonly connection: Redis;
  private readonly queues: Record<Role, Queue<AgentJob>>;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.connection = connect(config.redisUrl, CONNECTION_TIMEOUT_MS);
    const queue = (role: Role) => {
      const created = new Queue<AgentJob>(QUEUE_NAMES[role], {
        connection: this.connection,
        prefix: this.prefix,
      });
      created.on('error', () => undefined);
      return created;
    };
    this.queues = {
      global_supervisor: queue('global_supervisor'),
      team_supervisor: queue('team_supervisor'),
      worker: queue('worker'),
      oracle: queue('oracle'),
    };
  }

  /** One hash tag for all queues: a parent and its children must share a slot. */
  private get prefix(): string {
    return `{${this.config.redisPrefix}}`;
  }

  /** Starts (or starts again) the agent at the top of a run. */
  async start(job: AgentJob, top: Top): Promise<void> {
    await this.queues[top].add('agent', job, { ...OPTIONS, jobId: jobIdOf(job, top) });
  }

  /** How many jobs there are, by queue and state. */
  async counts(): Promise<{ queue: string; state: string; count: number }[]> {
    const states = ['waiting', 'active', 'delayed', 'waiting-children'] as const;
    const counted = await Promise.all(
      Object.values(this.queues).map(
        async (queue) => [queue.name, await queue.getJobCounts(...states)] as const,
      ),
    );
    return counted.flatMap(([queue, counts]) =>
      states.map((state) => ({ queue, state, count: counts[state] ?? 0 })),
    );
  }

  /**
   * Lets jobs go on that are parked for a while. With those that are not, nothing is done.
   * @returns those that are gone
   */
  async wake(jobIds: readonly string[]): Promise<string[]> {
    const gone: string[] = [];
    for (const id of jobIds) {
      const job = await this.queues[roleOfJob(id)].getJob(id);
      if (!job) gone.push(id);
      // Another one may have done it in between.
      else if (await job.isDelayed()) await job.promote().catch(() => undefined);
    }
    return gone;
  }

  async isQueued(runId: string, top: Top): Promise<boolean> {
    return (await this.queues[top].getJob(topJobId(runId, top))) !== undefined;
  }

  /**
   * Puts the job of a dispatch back whose parent is parked for it, where it has got lost: else the parent would wait for ever.
   * @param reported nobody needs to work on it any more; but a parent may still be waiting to hear so
   * @returns whether it was missing
   */
  async revive(job: AgentJob & { dispatchId: string }, reported: boolean): Promise<boolean> {
    const { runId, dispatchId } = job;
    const role = roleOf(dispatchId);
    if (await this.queues[role].getJob(jobIdOf(job))) return false;
    const parentQueue =
      role === 'worker' ? this.queues.team_supervisor : this.queues.global_supervisor;
    const id = jobIdOf({
      runId,
      dispatchId: role === 'worker' ? dispatchId.slice(0, dispatchId.indexOf('_')) : null,
    });
    const parent = await parentQueue.getJob(id);
    if (!parent || (await parent.getState()) !== 'waiting-children') return false;
    if (
      reported &&
      !(await parent.getDependencies()).unprocessed?.includes(this.childKey(role, job))
    )
      return false;
    await this.addChildren({ id, queue: parentQueue.qualifiedName }, role, [job]);
    return true;
  }

  /** Adds children of a job; those that are there already stay as they are. */
  async addChildren(
    parent: ParentLink,
    role: 'team_supervisor' | 'worker',
    children: AgentJob[],
  ): Promise<void> {
    if (children.length === 0) return;
    await this.queues[role].addBulk(
      children.map((data) => ({
        name: 'agent',
        data,
        // A child that fails must not take its parent with it: the parent reports for it.
        opts: { ...OPTIONS, jobId: jobIdOf(data), parent, ignoreDependencyOnFailure: true },
      })),
    );
  }

  /** The key by which a parent knows a child. */
  childKey(
    role: 'team_supervisor' | 'worker',
    child: Pick<AgentJob, 'runId' | 'dispatchId'>,
  ): string {
    return this.queues[role].toKey(jobIdOf(child));
  }

  /**
   * Removes what has not started yet of a run that has ended, bottom up. What is running ends by itself, and finds the log sealed.
   * @returns the dispatches whose jobs are still there: at work in some process
   */
  async remove(
    runId: string,
    dispatchIds: readonly string[],
    top: Top,
  ): Promise<(string | null)[]> {
    const left: (string | null)[] = [];
    // Workers' dispatches have longer ids than their teams'.
    const ids: (string | null)[] = [...dispatchIds.toSorted((a, b) => b.length - a.length), null];
    for (const dispatchId of ids) {
      const role = dispatchId === null ? top : roleOf(dispatchId);
      const job = await this.queues[role].getJob(jobIdOf({ runId, dispatchId }, top));
      if (!job) continue;
      try {
        await job.remove({ removeChildren: false });
      } catch {
        left.push(dispatchId);
      }
    }
    return left;
  }

  /** A BullMQ worker for one role. It does not run before `run()`. */
  worker(role: Role, processor: Processor<AgentJob>): Worker<AgentJob> {
    const concurrency = {
      global_supervisor: this.config.globalSupervisorConcurrency,
      team_supervisor: this.config.teamSupervisorConcurrency,
      worker: this.config.workerConcurrency,
      oracle: this.config.oracleConcurrency,
    }[role];
    const { connection, release } = workerConnection(this.config.redisUrl, SILENT_MS);
    const worker = new Worker<AgentJob>(QUEUE_NAMES[role], processor, {
      connection,
      prefix: this.prefix,
      concurrency,
      autorun: false,
      lockDuration: this.config.lockMs,
      stalledInterval: this.config.stallMs,
      // Leases do it.
      skipLockRenewal: true,
      // A crash is counted by claims without progress (decision 2): a bystander in a killed process also counts as stalled here.
      maxStalledCount: 1_000_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.once('closed', release);
    // What waits for jobs has a connection of its own.
    worker
      .getBackend()
      .client.then((client) => writeOnceATick(client as unknown as Redis))
      .catch(() => undefined);
    return worker;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.queues).map((queue) => queue.close()));
    this.connection.disconnect();
  }
}
