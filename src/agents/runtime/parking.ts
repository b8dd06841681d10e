import { Injectable } from '@nestjs/common';
import { DelayedError, WaitingChildrenError, type Job } from 'bullmq';
import type { OpenDispatch } from '../../domain/blackboard.js';
import { EventLog } from '../../event-log/event-log.js';
import { Queues, type AgentJob } from '../../queues/queues.js';
import type { AgentSession, Parked } from './agent-session.js';
import { AgentRuntime } from './agent-runtime.js';
import { closeDispatch } from './close-dispatch.js';

const roleBelow = (open: OpenDispatch) =>
  open.tool === 'dispatch_team' ? 'team_supervisor' : 'worker';

/** Gives the slots of agents back that wait. */
@Injectable()
export class Parking {
  constructor(
    private readonly log: EventLog,
    private readonly queues: Queues,
    private readonly runtime: AgentRuntime,
  ) {}

  /**
   * Parks an agent that waits for its model: for as long as it has to, or until it is woken.
   * @throws DelayedError
   */
  async forModel(
    job: Job<AgentJob>,
    token: string,
    session: AgentSession,
    parked: Parked,
  ): Promise<never> {
    // A stretch that ends here was not lost.
    if (!session.writer.isResting)
      await session.writer.append([], {
        checkpoint: JSON.stringify(session.board),
        progress: true,
      });
    await job.moveToDelayed(Date.now() + Math.max(0, parked.ms), token);
    void this.runtime.parked(parked);
    throw new DelayedError();
  }

  /**
   * Parks a supervisor until all agents that it has dispatched have ended. Adds the jobs that are not there yet, and reports for
   * agents that ended without a report. Returns if there is nothing to wait for.
   * @throws WaitingChildrenError when the job is parked
   */
  async forReports(job: Job<AgentJob>, token: string, session: AgentSession): Promise<void> {
    const { board, runId, unsent, writer } = session;
    const isNew = board.waiting.every(({ dispatch_id }) => unsent.has(dispatch_id));
    const missing = isNew ? board.waiting : await this.closeEnded(job, session);
    // A stretch that ends here was not lost. Mostly its last step has said so.
    if (!writer.isResting) await session.step((draft) => ({ state: draft.board }));
    const parent = { id: job.id as string, queue: job.queueQualifiedName };
    for (const role of ['team_supervisor', 'worker'] as const) {
      const open = missing.filter((dispatch) => roleBelow(dispatch) === role);
      const jobs = open.map(({ dispatch_id, agent_id, task }) => ({
        runId,
        dispatchId: dispatch_id,
        agentId: agent_id,
        task,
      }));
      await this.queues.addChildren(parent, role, jobs);
    }
    unsent.clear();
    if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
  }

  /** Reports for agents that ended without a report. @returns the dispatches that have no job */
  private async closeEnded(
    job: Job<AgentJob>,
    { board, runId, spec }: AgentSession,
  ): Promise<OpenDispatch[]> {
    const [known, reported] = await Promise.all([job.getDependencies(), this.log.reported(runId)]);
    const ended = new Set([
      ...Object.keys(known.processed ?? {}),
      ...Object.keys(known.ignored ?? {}),
    ]);
    const alive = new Set(known.unprocessed ?? []);
    const missing: OpenDispatch[] = [];
    for (const open of board.waiting.filter(({ dispatch_id }) => !reported.has(dispatch_id))) {
      const key = this.queues.childKey(roleBelow(open), { runId, dispatchId: open.dispatch_id });
      if (ended.has(key))
        await closeDispatch(this.log, runId, spec.topology, open.dispatch_id, open.agent_id);
      else if (!alive.has(key)) missing.push(open);
    }
    return missing;
  }
}
