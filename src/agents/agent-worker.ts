import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { WaitingChildrenError, WaitingError, type Job, type Worker } from 'bullmq';
import type { Config } from '../config/config.js';
import type { OpenDispatch } from '../domain/blackboard.js';
import { EventLog } from '../event-log/event-log.js';
import { Cancellations } from '../queues/cancellations.js';
import { Queues, type AgentJob, type Role } from '../queues/queues.js';
import { isStoreTrouble } from '../redis/store-trouble.js';
import { RunControl } from '../runs/run-control.js';
import type { AgentRuntime } from './agent-runtime.js';
import type { AgentSession } from './agent-session.js';
import { closeDispatch } from './close-dispatch.js';
import type { RoleBehaviour } from './role-behaviour.js';
import { LostError } from './run-writer.js';
import { Solitude } from './solitude.js';

/** The process must hand its work over: it is being shut down. */
class HandOver extends Error {
  override readonly name = 'HandOver';
}

/** Of this process: all roles. */
const solitude = new Solitude();
const STORE_PAUSE_MS = 500;

const roleBelow = (open: OpenDispatch) => (open.tool === 'dispatch_team' ? 'team_supervisor' : 'worker');

/** Takes jobs of one role off its queue and has the runtime work on them. Parks a supervisor that waits, so that it holds no slot. */
export abstract class AgentWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AgentWorker.name);
  private readonly working = new Map<string, AbortController>();
  private worker: Worker<AgentJob> | undefined;

  protected constructor(
    private readonly role: Role,
    private readonly behaviour: RoleBehaviour,
    private readonly runtime: AgentRuntime,
    private readonly log: EventLog,
    private readonly queues: Queues,
    private readonly cancellations: Cancellations,
    private readonly control: RunControl,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return;
    this.worker = this.queues.worker(this.role, (job, token) => this.process(job, token as string));
    this.worker.on('error', (error) => this.logger.debug(`${this.role}: ${error.message}`));
    this.worker.on('failed', (job, error) =>
      this.logger.error({ msg: 'a job failed', role: this.role, job: job?.id, error: error.message }),
    );
    // BullMQ tells of it and goes on: stopping is ours to do.
    this.worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => this.working.get(id)?.abort(new LostError('fenced'))));
    void this.worker.run();
  }

  /** Takes no more jobs, lets running steps end for a while, then hands the rest over. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!this.worker) return;
    const closed = this.worker.close();
    const handOver = () => this.working.forEach((stop) => stop.abort(new HandOver('the process is being shut down')));
    const timer = setTimeout(handOver, this.config.shutdownGraceSeconds * 1_000);
    await closed;
    clearTimeout(timer);
  }

  private async process(job: Job<AgentJob>, token: string): Promise<void> {
    const stop = new AbortController();
    const cancelled = this.cancellations.of(job.data.runId).subscribe(() => stop.abort(new LostError('sealed')));
    this.working.set(job.id as string, stop);
    try {
      await this.workThrough(job, token, stop);
    } finally {
      cancelled.unsubscribe();
      this.working.delete(job.id as string);
    }
  }

  /** Works until the agent has reported, is parked, or is no longer ours; goes on when the store was in trouble. */
  private async workThrough(job: Job<AgentJob>, token: string, stop: AbortController): Promise<void> {
    for (let counts = true; ; counts = false) {
      try {
        return await this.work(job, token, stop, counts);
      } catch (error) {
        if (error instanceof WaitingChildrenError) throw error;
        const why: unknown = stop.signal.aborted ? stop.signal.reason : error;
        if (why instanceof LostError) return;
        if (why instanceof HandOver) {
          await job.moveToWait(token);
          throw new WaitingError();
        }
        if (!isStoreTrouble(why)) return this.fail(job.data, why);
        this.logger.debug(`${job.id}: the store is in trouble, trying again: ${String(why)}`);
        await sleep(STORE_PAUSE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  }

  private async work(job: Job<AgentJob>, token: string, stop: AbortController, counts: boolean): Promise<void> {
    const { maxCrashes } = this.config;
    const open = (suspectAt: number) =>
      this.runtime.open(job.data, this.behaviour, stop, { stalls: job.stalledCounter ?? 0, suspectAt, counts });
    let leave = await solitude.enter(false);
    try {
      // The last chance is taken alone, so that whoever is condemned has itself to blame.
      let opened = await open(Math.max(1, maxCrashes - 1));
      if (opened.kind === 'suspect') {
        if (opened.claims >= maxCrashes) return await this.condemn(job.data, opened.claims);
        leave();
        leave = await solitude.enter(true);
        opened = await open(maxCrashes);
        if (opened.kind === 'suspect') return await this.condemn(job.data, opened.claims);
      }
      if (opened.kind === 'open') await this.stretch(job, token, opened.session);
    } finally {
      leave();
    }
  }

  private async stretch(job: Job<AgentJob>, token: string, session: AgentSession): Promise<void> {
    try {
      while ((await this.runtime.drive(session)) === 'waiting') await this.park(job, token, session);
    } catch (error) {
      if (session.signal.reason instanceof HandOver) await session.writer.release();
      throw error;
    } finally {
      session.writer.close();
    }
  }

  /**
   * Gives the slot back until all children have ended. Adds those that are not there yet; whoever has ended without a report
   * is reported for. Returns when there is nothing to wait for.
   * @throws WaitingChildrenError when the job is parked
   */
  private async park(job: Job<AgentJob>, token: string, session: AgentSession): Promise<void> {
    const { board, runId, spec } = session;
    const [known, reported] = await Promise.all([job.getDependencies(), this.log.reported(runId)]);
    const ended = new Set([...Object.keys(known.processed ?? {}), ...Object.keys(known.ignored ?? {})]);
    const alive = new Set(known.unprocessed ?? []);
    const missing: OpenDispatch[] = [];
    for (const open of board.waiting.filter(({ dispatch_id }) => !reported.has(dispatch_id))) {
      const key = this.queues.childKey(roleBelow(open), { runId, dispatchId: open.dispatch_id });
      if (ended.has(key)) await closeDispatch(this.log, runId, spec.topology, open.dispatch_id, open.agent_id);
      else if (!alive.has(key)) missing.push(open);
    }
    const role = this.role === 'global_supervisor' ? 'team_supervisor' : 'worker';
    const jobs = missing.map((open) => ({ runId, dispatchId: open.dispatch_id, agentId: open.agent_id, task: open.task }));
    await this.queues.addChildren({ id: job.id as string, queue: job.queueQualifiedName }, role, jobs);
    if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
  }

  /** It has killed its process as often as it may: it fails by name, and whoever sent it goes on. */
  private async condemn({ runId, dispatchId, agentId }: AgentJob, crashes: number): Promise<void> {
    this.logger.error({ msg: 'an agent killed its process again and again', runId, dispatchId, agentId, crashes });
    const spec = await this.log.spec(runId);
    if (!spec) return;
    if (dispatchId === null)
      await this.control.fail(runId, 'AGENT_CRASHED', `The process of the agent at the top was lost ${crashes} times.`);
    else await closeDispatch(this.log, runId, spec.topology, dispatchId, agentId, 'AGENT_CRASHED');
  }

  /** Something of ours is broken: the agent reports that it failed, so that nobody waits for it. */
  private async fail({ runId, dispatchId, agentId }: AgentJob, error: unknown): Promise<void> {
    this.logger.error({ msg: 'an agent failed', runId, dispatchId, error: String(error), stack: (error as Error)?.stack });
    const spec = await this.log.spec(runId);
    if (!spec) return;
    if (dispatchId !== null) await closeDispatch(this.log, runId, spec.topology, dispatchId, agentId);
    else await this.control.fail(runId, 'INTERNAL_ERROR', 'The diagnosis ended because of a fault in the service.');
  }
}
