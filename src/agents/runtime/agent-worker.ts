import { setTimeout as sleep } from 'node:timers/promises';
import {
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DelayedError, WaitingChildrenError, WaitingError, type Job, type Worker } from 'bullmq';
import { isJobLost, type AgentJob, type Role } from '../../queues/queues.js';
import { isStoreTrouble } from '../../redis/store-trouble.js';
import type { AgentSession } from './agent-session.js';
import type { AgentWorkerServices } from './agent-worker-services.js';
import { closeDispatch } from './close-dispatch.js';
import { Leases } from './leases.js';
import { park, parkForModel } from './park.js';
import type { RoleBehaviour } from '../roles/role-behaviour.js';
import { LostError } from './run-writer.js';
import { ExclusiveLock } from '../../lib/exclusive-lock.js';

/** The process must hand its work over: it is being shut down. */
class HandOver extends Error {
  override readonly name = 'HandOver';
}

/** Of this process: all roles. */
const solitude = new ExclusiveLock();
const STORE_PAUSE_MS = 500;
/** How long leaving a job in good order may take. After that it counts as lost, and comes back all the same. */
const LEAVE_MS = 2_000;
/** How long BullMQ may take to close after the grace period. With Redis away it would never. */
const CLOSE_MS = 5_000;
/** How long a job stays away that only a later version of the service can go on with. */
const LATER_MS = 1_000;
/** How often running work is compared with the log: the announcement of a cancel may not have been heard. */
const COMPARE_MS = 2_000;

/** Takes jobs of one role off its queue and has the runtime work on them. Parks a supervisor that waits, so that it holds no slot. */
export abstract class AgentWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger(AgentWorker.name);
  /** What runs here, and the run that it is for. */
  private readonly working = new Map<AbortController, string>();
  private worker: Worker<AgentJob> | undefined;
  private leases: Leases | undefined;
  private compare: NodeJS.Timeout | undefined;
  private closed: Promise<void> | undefined;

  protected constructor(
    private readonly role: Role,
    private readonly behaviour: RoleBehaviour,
    private readonly services: AgentWorkerServices,
  ) {}

  onApplicationBootstrap(): void {
    if (this.services.config.role === 'api') return;
    const worker = this.services.queues.worker(this.role, (job, token) =>
      this.process(job, token as string),
    );
    worker.on('error', (error) => this.logger.debug(`${this.role}: ${error.message}`));
    worker.on('failed', (job, error) =>
      this.logger.error({
        msg: 'a job failed',
        role: this.role,
        job: job?.id,
        error: error.message,
      }),
    );
    this.worker = worker;
    this.leases = new Leases(
      (...locks) => worker.extendJobLocks(...locks),
      this.services.config.lockMs,
    );
    this.compare = setInterval(() => void this.compareWithLog(), COMPARE_MS);
    // As BullMQ does it where it starts by itself: nothing that it throws may end the process.
    worker.run().catch((error: unknown) => worker.emit('error', error as Error));
  }

  /** Takes no more jobs, lets running steps end for a while, then hands the rest over. All roles at once. */
  onModuleDestroy(): void {
    if (this.worker) this.closed = this.close(this.worker);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.closed;
  }

  private async close(worker: Worker<AgentJob>): Promise<void> {
    const grace = this.services.config.shutdownGraceSeconds * 1_000;
    const handOver = setTimeout(() => {
      if (this.working.size > 0)
        this.logger.log(
          `${this.role}: ${this.working.size} at work are handed over to other processes`,
        );
      for (const stop of this.working.keys())
        stop.abort(new HandOver('the process is being shut down'));
    }, grace);
    const late = await Promise.race([
      worker.close(),
      sleep(grace + CLOSE_MS, 'late', { ref: false }),
    ]);
    // What it could not say is found out: its jobs count as lost when their locks run out.
    if (late) await Promise.race([worker.disconnect(), sleep(LEAVE_MS, undefined, { ref: false })]);
    clearTimeout(handOver);
    clearInterval(this.compare);
    this.leases?.close();
  }

  private async process(job: Job<AgentJob>, token: string): Promise<void> {
    const stop = new AbortController();
    const lost = (why: LostError['why']) => stop.abort(new LostError(why));
    const cancelled = this.services.cancellations
      .of(job.data.runId)
      .subscribe(() => lost('sealed'));
    const release = this.leases?.hold(job.id as string, token, () => {
      this.logger.warn({
        msg: 'the lock of a job was lost: its work is stopped here, and goes on where it is found',
        job: job.id,
      });
      lost('expired');
    });
    this.working.set(stop, job.data.runId);
    try {
      await this.workThrough(job, token, stop);
    } finally {
      cancelled.unsubscribe();
      release?.();
      this.working.delete(stop);
    }
  }

  /** A cancel is durable: who was cut off while it was announced sees it here. */
  private async compareWithLog(): Promise<void> {
    for (const runId of new Set(this.working.values())) {
      // Redis is away: the next time.
      const tail = await this.services.log.tail(runId).catch(() => undefined);
      if (!tail?.sealed) continue;
      for (const [stop, id] of this.working) if (id === runId) stop.abort(new LostError('sealed'));
    }
  }

  /**
   * Works until the agent has reported, is parked, or is no longer ours; goes on when the store was in trouble. It returns
   * only when there is nothing left to do: what returns is removed for good.
   */
  private async workThrough(
    job: Job<AgentJob>,
    token: string,
    stop: AbortController,
  ): Promise<void> {
    for (let opened = 0; ;) {
      try {
        return await this.work(job, token, stop, opened, () => opened++);
      } catch (error) {
        if (error instanceof WaitingChildrenError || error instanceof DelayedError) throw error;
        const why: unknown = stop.signal.aborted ? stop.signal.reason : error;
        if (
          why instanceof LostError &&
          (why.why === 'sealed' || why.why === 'full' || why.why === 'missing')
        )
          return;
        if (why instanceof LostError || why instanceof HandOver || isJobLost(why))
          return await this.giveBack(job, token);
        if (!isStoreTrouble(why) && (await this.fail(job.data, why))) return;
        this.logger.debug(`${job.id}: the store is in trouble, trying again: ${String(why)}`);
        await sleep(STORE_PAUSE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  /**
   * Leaves the job to whoever takes it next. Where that cannot be said, because the lock is gone or Redis is, the job stays
   * as it is, and is found as lost when its lock has run out. In no case may it count as done.
   */
  private async giveBack(job: Job<AgentJob>, token: string): Promise<never> {
    await Promise.race([job.moveToWait(token), sleep(LEAVE_MS, undefined, { ref: false })]).catch(
      () => undefined,
    );
    throw new WaitingError();
  }

  /** Leaves the job, after a while, to whichever worker takes it then: in a rolling deploy, a newer one will. */
  private async leaveToLater(job: Job<AgentJob>, token: string): Promise<never> {
    this.logger.warn({
      msg: 'a later version of the service worked on this job: it is left to one',
      job: job.id,
    });
    await job.moveToDelayed(Date.now() + LATER_MS, token);
    throw new DelayedError();
  }

  /** @param opened how often this was opened before; `open` counts */
  private async work(
    job: Job<AgentJob>,
    token: string,
    stop: AbortController,
    opened: number,
    count: () => void,
  ): Promise<void> {
    const { maxCrashes } = this.services.config;
    const open = (suspectAt: number) =>
      this.services.runtime.open(job.data, this.behaviour, stop, {
        stalls: job.stalledCounter ?? 0,
        suspectAt,
        again: opened > 0,
        stretch: `${token}.${opened}`,
      });
    let leave = await solitude.enter(false);
    try {
      // The last chance is taken alone, so that whoever is condemned has itself to blame.
      let found = await open(Math.max(1, maxCrashes - 1));
      if (found.kind === 'suspect') {
        if (found.claims >= maxCrashes) return await this.failAfterCrashes(job.data, found.claims);
        leave();
        leave = await solitude.enter(true);
        found = await open(maxCrashes);
        if (found.kind === 'suspect') return await this.failAfterCrashes(job.data, found.claims);
      }
      if (found.kind === 'later') return await this.leaveToLater(job, token);
      if (found.kind === 'stray') return await this.failUnresumable(job.data);
      if (found.kind !== 'open') return;
      count();
      await this.stretch(job, token, found.session);
    } finally {
      leave();
    }
  }

  private async stretch(job: Job<AgentJob>, token: string, session: AgentSession): Promise<void> {
    try {
      while ((await this.services.runtime.drive(session)) === 'waiting') {
        if (session.parked)
          await parkForModel(job, token, session, session.parked, this.services.runtime);
        await park(job, token, session, this.services.log, this.services.queues);
      }
    } catch (error) {
      const { reason } = session.signal as { reason: unknown };
      // This process is well, and says so: it is not what the agent is to be blamed for.
      if (reason instanceof HandOver || (reason instanceof LostError && reason.why === 'expired'))
        await Promise.race([
          this.services.runtime.release(session),
          sleep(LEAVE_MS, undefined, { ref: false }),
        ]).catch(() => undefined);
      throw error;
    } finally {
      session.writer.close();
    }
  }

  /** Nobody can ever work on this: what the run was started with has no such agent, or is gone. */
  private async failUnresumable({ runId, dispatchId, agentId }: AgentJob): Promise<void> {
    if (dispatchId === null) {
      await this.services.control.fail(
        runId,
        'ORPHANED',
        'Nobody can work on the run: it does not say any more what its agents are to do.',
      );
      return;
    }
    const spec = await this.services.log.spec(runId);
    if (spec) await closeDispatch(this.services.log, runId, spec.topology, dispatchId, agentId);
  }

  /** It has killed its process as often as it may: it fails by name, and whoever sent it goes on. */
  private async failAfterCrashes(
    { runId, dispatchId, agentId }: AgentJob,
    crashes: number,
  ): Promise<void> {
    this.logger.error({
      msg: 'an agent killed its process again and again',
      runId,
      dispatchId,
      agentId,
      crashes,
    });
    const spec = await this.services.log.spec(runId);
    if (!spec) return;
    if (dispatchId === null)
      await this.services.control.fail(
        runId,
        'AGENT_CRASHED',
        `The process of the agent at the top was lost ${crashes} times.`,
      );
    else
      await closeDispatch(
        this.services.log,
        runId,
        spec.topology,
        dispatchId,
        agentId,
        'AGENT_CRASHED',
      );
  }

  /**
   * Something of ours is broken: the agent reports that it failed, so that nobody waits for it.
   * @returns false when that could not be said, since the store is in trouble
   */
  private async fail({ runId, dispatchId, agentId }: AgentJob, error: unknown): Promise<boolean> {
    this.logger.error({
      msg: 'an agent failed',
      runId,
      dispatchId,
      error: String(error),
      stack: (error as Error)?.stack,
    });
    try {
      const spec = await this.services.log.spec(runId);
      if (!spec) return true;
      if (dispatchId !== null)
        await closeDispatch(this.services.log, runId, spec.topology, dispatchId, agentId);
      else
        await this.services.control.fail(
          runId,
          'INTERNAL_ERROR',
          'The run ended because of a fault in the service.',
        );
      return true;
    } catch (trouble) {
      if (isStoreTrouble(trouble)) return false;
      throw trouble;
    }
  }
}
