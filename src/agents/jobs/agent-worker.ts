import { setTimeout as sleep } from 'node:timers/promises';
import {
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { atMost } from '../../lib/async.js';
import { ExclusiveLock } from '../../lib/exclusive-lock.js';
import type { AgentRole } from '../../queues/job-ids.js';
import { JobLostError, JobParked, type QueuedJob } from '../../queues/queue-port.js';
import { isStoreFailure, reportDenied } from '../../redis/store-failure.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { AgentWorkerServices } from './agent-worker-services.js';
import { LEAVE_MS, type JobConsumer } from './job-consumer.js';
import { LostError } from '../runtime/run-writer.js';

/** The process hands its work over, because it is being shut down. */
class HandOver extends Error {
  override readonly name = 'HandOver';
}

/** The workers of this process, for all roles. */
const lock = new ExclusiveLock();
const STORE_PAUSE_MS = 500;
/** Delay of a job that only a later version of the service can continue. */
const LATER_MS = 1_000;

/** Works on the jobs of one role. Parks a supervisor that waits, so that it holds no slot. */
export abstract class AgentWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger(AgentWorker.name);
  private readonly working = new Set<AbortController>();
  private consumer: JobConsumer | undefined;
  private closed: Promise<void> | undefined;

  protected constructor(
    private readonly role: AgentRole,
    private readonly behaviour: RoleBehaviour,
    private readonly services: AgentWorkerServices,
  ) {}

  onApplicationBootstrap(): void {
    this.consumer = this.services.consumers.start(this.role, (job) => this.process(job));
  }

  /**
   * Stops taking jobs, waits some time for running steps, then hands the rest over. For all roles
   * at once.
   */
  onModuleDestroy(): void {
    this.closed = this.consumer?.close(() => {
      if (this.working.size > 0)
        this.logger.log(`${this.role}: ${this.working.size} jobs are handed over`);
      for (const stop of this.working) stop.abort(new HandOver('the process is being shut down'));
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.closed;
  }

  private async process(job: QueuedJob): Promise<void> {
    const stop = new AbortController();
    const unwatch = this.services.running.watch(job.data.runId, stop);
    const release = this.consumer?.hold(job, () => stop.abort(new LostError('expired')));
    this.working.add(stop);
    try {
      await this.workThrough(job, stop);
    } finally {
      unwatch();
      release?.();
      this.working.delete(stop);
    }
  }

  /**
   * Works until the agent has reported, is parked, or belongs to another process; continues when
   * the store was failing. It returns only when there is nothing left to do, because a job that
   * returns is removed for good.
   */
  private async workThrough(job: QueuedJob, stop: AbortController): Promise<void> {
    for (let opened = 0; ;) {
      try {
        return await this.work(job, stop, opened, () => opened++);
      } catch (error) {
        if (error instanceof JobParked) throw error;
        const why: unknown = stop.signal.aborted ? stop.signal.reason : error;
        if (why instanceof LostError && (why.why === 'sealed' || why.why === 'missing')) return;
        if (why instanceof LostError && why.why === 'full') return await this.endFull(job);
        if (why instanceof LostError || why instanceof HandOver || why instanceof JobLostError)
          return await this.giveBack(job);
        if (!isStoreFailure(why) && (await this.services.failed.fail(job.data, why))) return;
        reportDenied(why, this.logger);
        this.logger.debug(`${job.id}: Redis failed, retrying: ${String(why)}`);
        await sleep(STORE_PAUSE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  /**
   * Ends a run whose log is full. If that fails, the job is returned to the queue: its next session
   * finds the log full again.
   */
  private async endFull(job: QueuedJob): Promise<void> {
    try {
      await this.services.failed.failFull(job.data.runId);
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      await this.giveBack(job);
    }
  }

  /**
   * Leaves the job to the process that takes it next. If that fails, because the lock or Redis is
   * gone, the job stays as it is, and is found as lost when its lock has expired. It must never
   * count as done.
   */
  private async giveBack(job: QueuedJob): Promise<never> {
    await atMost(LEAVE_MS, job.release(), undefined).catch(() => undefined);
    throw new JobParked('released');
  }

  /** Delays the job for the process that takes it then: in a rolling deploy, a newer one. */
  private async leaveToNewer(job: QueuedJob): Promise<never> {
    const msg = 'a newer version of the service worked on this job: it is left to one';
    this.logger.warn({ msg, job: job.id });
    return job.delay(LATER_MS);
  }

  /** @param opened how often this was opened before; `count` counts */
  private async work(
    job: QueuedJob,
    stop: AbortController,
    opened: number,
    count: () => void,
  ): Promise<void> {
    const { consumers, failed, runtime } = this.services;
    const { maxCrashes } = consumers;
    const open = (suspectAt: number) =>
      runtime.open(job.data, this.behaviour, stop, {
        stalls: job.stalls,
        suspectAt,
        again: opened > 0,
        sessionName: `${job.token}.${opened}`,
      });
    let leave = await lock.enter(false);
    try {
      // The final attempt runs alone in the process, so that a crash can be attributed to this
      // agent.
      let found = await open(Math.max(1, maxCrashes - 1));
      if (found.kind === 'suspect') {
        if (found.claims >= maxCrashes)
          return await failed.failAfterCrashes(job.data, found.claims);
        leave();
        leave = await lock.enter(true);
        found = await open(maxCrashes);
        if (found.kind === 'suspect') return await failed.failAfterCrashes(job.data, found.claims);
      }
      if (found.kind === 'newerVersion') return await this.leaveToNewer(job);
      if (found.kind === 'unknownAgent') return await failed.failUnresumable(job.data);
      if (found.kind !== 'open') return;
      count();
      await this.runSession(job, found.session);
    } finally {
      leave();
    }
  }

  private async runSession(job: QueuedJob, session: AgentSession): Promise<void> {
    const { parking, runtime } = this.services;
    try {
      for (;;) {
        const driven = await runtime.drive(session);
        if (driven.kind === 'done') return;
        if (driven.parked) await parking.forModel(job, session, driven.parked);
        await parking.forReports(job, session);
      }
    } catch (error) {
      const { reason } = session.signal as { reason: unknown };
      // This process is healthy and reports so, so that the agent is not blamed for it.
      if (reason instanceof HandOver || (reason instanceof LostError && reason.why === 'expired'))
        await atMost(LEAVE_MS, runtime.release(session), undefined).catch(() => undefined);
      throw error;
    } finally {
      session.writer.close();
    }
  }
}
