import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { WaitingChildrenError, WaitingError, type Job, type Worker } from 'bullmq';
import type { Config } from '../config/config.js';
import type { OpenDispatch } from '../domain/blackboard.js';
import { EventLog } from '../event-log/event-log.js';
import { Cancellations } from '../queues/cancellations.js';
import { Queues, type AgentJob, type Role } from '../queues/queues.js';
import { RunControl } from '../runs/run-control.js';
import type { AgentRuntime } from './agent-runtime.js';
import type { AgentSession } from './agent-session.js';
import { closeDispatch } from './close-dispatch.js';
import type { RoleBehaviour } from './role-behaviour.js';
import { LostError } from './run-writer.js';

/** The process must hand its work over: it is being shut down. */
class HandOver extends Error {
  override readonly name = 'HandOver';
}

const roleBelow = (open: OpenDispatch) => (open.tool === 'dispatch_team' ? 'team_supervisor' : 'worker');

/** Takes jobs of one role off its queue and has the runtime work on them. Parks a supervisor that waits, so that it holds no slot. */
export abstract class AgentWorker implements OnApplicationBootstrap, OnApplicationShutdown {
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
  async onApplicationShutdown(): Promise<void> {
    if (!this.worker) return;
    const closed = this.worker.close();
    const timer = setTimeout(
      () => this.working.forEach((stop) => stop.abort(new HandOver('the process is being shut down'))),
      this.config.shutdownGraceSeconds * 1_000,
    );
    await closed;
    clearTimeout(timer);
  }

  private async process(job: Job<AgentJob>, token: string): Promise<void> {
    const { data } = job;
    const stop = new AbortController();
    const cancelled = this.cancellations.of(data.runId).subscribe(() => stop.abort(new LostError('sealed')));
    this.working.set(job.id as string, stop);
    try {
      let stretch = await this.runtime.work(data, this.behaviour, stop);
      while (stretch.kind === 'waiting') {
        await this.park(job, token, stretch.session);
        stretch = await this.runtime.drive(stretch.session);
      }
    } catch (error) {
      if (error instanceof WaitingChildrenError || error instanceof LostError) {
        if (error instanceof LostError) return;
        throw error;
      }
      if (error instanceof HandOver) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      await this.fail(data, error);
    } finally {
      cancelled.unsubscribe();
      this.working.delete(job.id as string);
    }
  }

  /**
   * Gives the slot back until all children have ended. Adds those that are not there yet; whoever has ended without a report
   * is reported for. Returns when there is nothing to wait for.
   * @throws WaitingChildrenError when the job is parked
   */
  private async park(job: Job<AgentJob>, token: string, session: AgentSession): Promise<void> {
    const { board, runId, spec } = session;
    const children = board.waiting;
    const [known, reported] = await Promise.all([job.getDependencies(), this.log.reported(runId)]);
    const ended = new Set([...Object.keys(known.processed ?? {}), ...Object.keys(known.ignored ?? {})]);
    const alive = new Set(known.unprocessed ?? []);
    const missing: OpenDispatch[] = [];
    for (const open of children.filter(({ dispatch_id }) => !reported.has(dispatch_id))) {
      const key = this.queues.childKey(roleBelow(open), { runId, dispatchId: open.dispatch_id });
      if (ended.has(key)) await closeDispatch(this.log, runId, spec.topology, open.dispatch_id, open.agent_id);
      else if (!alive.has(key)) missing.push(open);
    }
    const role = this.role === 'global_supervisor' ? 'team_supervisor' : 'worker';
    await this.queues.addChildren(
      job,
      role,
      missing.map((open) => ({ runId, dispatchId: open.dispatch_id, agentId: open.agent_id, task: open.task })),
    );
    if (await job.moveToWaitingChildren(token)) {
      session.writer.close();
      throw new WaitingChildrenError();
    }
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
