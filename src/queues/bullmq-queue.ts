import { Inject, Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Queue, type JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Clock } from '../lib/clock.js';
import { connect } from '../redis/connect.js';
import { JobDelays } from '../redis/job-delays.js';
import { delaysKey, queuePrefix } from '../redis/keys.js';
import { connectConsumers, consumeBullmq, type ParentLink } from './bullmq-consumer.js';
import {
  jobIdOf,
  parentOf,
  QUEUE_NAMES,
  roleOf,
  roleOfJob,
  type AgentJob,
  type AgentRole,
  type TopRole,
} from './job-ids.js';
import {
  QueuePort,
  type ConsumerOptions,
  type QueueConsumer,
  type JobCount,
} from './queue-port.js';

const CONNECTION_TIMEOUT_MS = 5_000;
const STATES = ['waiting', 'active', 'delayed', 'waiting-children'] as const;

/** Jobs with an order that are compared for the age of the oldest one. */
const MOST_COMPARED = 20;

const ASKED_AT_ONCE = 1_000;
/** KEYS: jobs. @returns the places of those that exist, from 1 */
const EXISTING = `
local found = {}
for place, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then found[#found + 1] = place end
end
return found`;

const optionsOf = (job: AgentJob, top?: TopRole): JobsOptions => ({
  removeOnComplete: true,
  removeOnFail: true,
  jobId: jobIdOf(job, top),
  // BullMQ keeps it with the job: one that was parked comes back with it.
  ...(job.order !== undefined && { priority: job.order }),
});

/** The queues on BullMQ. */
@Injectable()
export class BullmqQueue extends QueuePort implements OnApplicationShutdown {
  private readonly connection: Redis;
  /** Opened by the first consumer. */
  private consumers: Redis | undefined;
  private readonly queues: Record<AgentRole, Queue<AgentJob>>;
  private readonly delays: JobDelays;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    clock: Clock,
  ) {
    super();
    this.connection = connect(config.redisUrl, CONNECTION_TIMEOUT_MS);
    this.delays = new JobDelays(this.connection, delaysKey(config.redisPrefix), clock, (id) =>
      this.queues[roleOfJob(id)].getJob(id),
    );
    const queue = (role: AgentRole) => {
      const created = new Queue<AgentJob>(QUEUE_NAMES[role], {
        connection: this.connection,
        prefix: queuePrefix(config.redisPrefix),
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

  override async start(job: AgentJob, top: TopRole): Promise<void> {
    const { delayMs } = job;
    if (delayMs !== undefined) await this.delays.note(jobIdOf(job, top), delayMs);
    await this.queues[top].add('agent', job, {
      ...optionsOf(job, top),
      ...(delayMs !== undefined && { delay: delayMs }),
    });
  }

  override async isQueued(runId: string, top: TopRole): Promise<boolean> {
    return this.known(top, jobIdOf({ runId, dispatchId: null }, top));
  }

  override async wake(jobIds: readonly string[]): Promise<string[]> {
    const gone: string[] = [];
    for (const id of jobIds) {
      const job = await this.queues[roleOfJob(id)].getJob(id);
      if (!job) gone.push(id);
      // Another process may promote the job first.
      else if (await job.isDelayed()) await job.promote().catch(() => undefined);
    }
    return gone;
  }

  override async endDelays(): Promise<void> {
    await this.delays.end();
  }

  override async revive(
    job: AgentJob & { dispatchId: string },
    reported: boolean,
  ): Promise<boolean> {
    const { runId, dispatchId } = job;
    const role = roleOf(dispatchId);
    if (await this.known(role, jobIdOf(job))) return false;
    const queue = role === 'worker' ? this.queues.team_supervisor : this.queues.global_supervisor;
    const id = jobIdOf({ runId, dispatchId: parentOf(dispatchId) });
    const parent = await queue.getJob(id);
    if (!parent || (await parent.getState()) !== 'waiting-children') return false;
    if (reported) {
      const { unprocessed = [] } = await parent.getDependencies();
      const key = this.queues[role].toKey(jobIdOf(job));
      // A parent that is parked without children has lost its list of them. It wakes when any child
      // ends.
      if (unprocessed.length > 0 && !unprocessed.includes(key)) return false;
    }
    await this.addChildren({ id, queue: queue.qualifiedName }, role, [job]);
    return true;
  }

  override async remove(
    runId: string,
    dispatchIds: readonly string[],
    top: TopRole,
  ): Promise<(string | null)[]> {
    const left: (string | null)[] = [];
    // Workers first: their dispatch ids are longer than those of their teams.
    const ids: (string | null)[] = [...dispatchIds.toSorted((a, b) => b.length - a.length), null];
    const jobs = ids.map((dispatchId) => ({
      dispatchId,
      queue: this.queues[dispatchId === null ? top : roleOf(dispatchId)],
      id: jobIdOf({ runId, dispatchId }, top),
    }));
    for (const { dispatchId, queue, id } of await this.existing(jobs)) {
      const job = await queue.getJob(id);
      if (!job) continue;
      try {
        await job.remove({ removeChildren: false });
      } catch {
        left.push(dispatchId);
      }
    }
    return left;
  }

  override async counts(): Promise<JobCount[]> {
    const counted = await Promise.all(
      Object.values(this.queues).map(async (queue) => {
        const counts = await queue.getJobCounts(...STATES, 'prioritized');
        return STATES.map((state) => {
          // Jobs with an order wait apart from the others.
          const ordered = state === 'waiting' ? (counts['prioritized'] ?? 0) : 0;
          return { queue: queue.name, state, count: (counts[state] ?? 0) + ordered };
        });
      }),
    );
    return counted.flat();
  }

  override async waitingSince(): Promise<Map<string, number>> {
    const oldest = await Promise.all(
      Object.values(this.queues).map(async (queue) => {
        const jobs = await Promise.all([
          queue.getJobs(['waiting'], 0, 0, true),
          queue.getJobs(['prioritized'], 0, MOST_COMPARED - 1, true),
        ]);
        const times = jobs.flat().map(({ timestamp }) => timestamp);
        return times.length > 0 ? ([[queue.name, Math.min(...times)]] as const) : [];
      }),
    );
    return new Map(oldest.flat());
  }

  override consume(role: AgentRole, options: ConsumerOptions): QueueConsumer {
    this.consumers ??= connectConsumers(this.config);
    const shared = { config: this.config, connection: this.consumers };
    return consumeBullmq(role, shared, options, {
      addChildren: (...children) => this.addChildren(...children),
      wakeConsumer: (marker) => this.connection.zadd(marker, 0, '0'),
      noteDelay: (id, ms) => this.delays.note(id, ms),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Object.values(this.queues).map((queue) => queue.close()));
    this.connection.disconnect();
    this.consumers?.disconnect();
  }

  /**
   * Whether a job exists. Removes a job that is in no list or set of its queue, because it would
   * never run, and an id without a hash. Both can then be added again.
   */
  private async known(role: AgentRole, id: string): Promise<boolean> {
    const queue = this.queues[role];
    const job = await queue.getJob(id);
    if (job && (await job.getState()) !== 'unknown') return true;
    return queue.remove(id, { removeChildren: false }).then(
      () => false,
      // Locked: a consumer still works on it.
      () => true,
    );
  }

  /** Asked for the existing jobs at once: for a run that has ended, most do not exist. */
  private async existing<Named extends { queue: Queue<AgentJob>; id: string }>(
    jobs: readonly Named[],
  ): Promise<Named[]> {
    const found: Named[] = [];
    for (let from = 0; from < jobs.length; from += ASKED_AT_ONCE) {
      const asked = jobs.slice(from, from + ASKED_AT_ONCE);
      const keys = asked.map(({ queue, id }) => queue.toKey(id));
      const places = (await this.connection.eval(EXISTING, keys.length, ...keys)) as number[];
      const isThere = new Set(places);
      found.push(...asked.filter((_, i) => isThere.has(i + 1)));
    }
    return found;
  }

  private async addChildren(
    parent: ParentLink,
    role: 'team_supervisor' | 'worker',
    children: AgentJob[],
  ): Promise<void> {
    // Not `addBulk`: its transaction makes a pipeline, which copies every script of the connection.
    // A child that is missing after a failure is added again.
    await Promise.all(
      children.map((data) =>
        this.queues[role].add('agent', data, {
          ...optionsOf(data),
          parent,
          // A failed child must not fail its parent: the parent writes a report for it.
          ignoreDependencyOnFailure: true,
        }),
      ),
    );
  }
}
