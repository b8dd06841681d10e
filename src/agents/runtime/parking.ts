import { Injectable } from '@nestjs/common';
import type { OpenDispatch } from '../../domain/blackboard.js';
import { LogPort } from '../../event-log/log-port.js';
import { JobParked, type QueuedJob } from '../../queues/queue-port.js';
import { jobOrder } from '../../runs/job-order.js';
import type { AgentSession } from './agent-session.js';
import type { ParkRequest } from './session-step.js';
import { AgentRuntime } from './agent-runtime.js';
import { closeDispatch } from './close-dispatch.js';

const roleBelow = (open: OpenDispatch) =>
  open.tool === 'dispatch_team' ? 'team_supervisor' : 'worker';

/** Gives back the slots of agents that wait. */
@Injectable()
export class Parking {
  constructor(
    private readonly log: LogPort,
    private readonly runtime: AgentRuntime,
  ) {}

  /**
   * Parks an agent that waits for its model: for the required time, or until it is woken.
   * @throws JobParked
   */
  async forModel(job: QueuedJob, session: AgentSession, parked: ParkRequest): Promise<never> {
    // A session that ends here was not lost.
    if (!session.writer.isResting)
      await session.writer.append([], { checkpoint: session.saved(), progress: true });
    try {
      return await job.delay(parked.ms);
    } catch (error) {
      if (error instanceof JobParked) void this.runtime.parked(parked);
      throw error;
    }
  }

  /**
   * Parks a supervisor until all agents that it has dispatched have ended. Adds missing jobs, and
   * reports for agents that ended without a report. Returns if there is nothing to wait for.
   * @throws JobParked
   */
  async forReports(job: QueuedJob, session: AgentSession): Promise<void> {
    const { board, runId, spec, unsent, writer } = session;
    const isNew = board.waiting.every(({ dispatch_id }) => unsent.has(dispatch_id));
    const missing = isNew ? board.waiting : await this.closeEnded(job, session);
    // A session that ends here was not lost. Usually its last step has recorded that.
    if (!writer.isResting) await session.step((draft) => ({ state: draft.board }));
    for (const role of ['team_supervisor', 'worker'] as const) {
      const open = missing.filter((dispatch) => roleBelow(dispatch) === role);
      const jobs = open.map(({ dispatch_id, agent_id, task }) => {
        const order = jobOrder(spec, agent_id);
        return {
          runId,
          dispatchId: dispatch_id,
          agentId: agent_id,
          task,
          sentAt: session.now(),
          ...(order !== undefined && { order }),
        };
      });
      await job.addChildren(role, jobs);
    }
    unsent.clear();
    await job.waitForChildren();
  }

  /** Reports for agents that ended without a report. @returns the dispatches that have no job */
  private async closeEnded(
    job: QueuedJob,
    { board, runId, spec }: AgentSession,
  ): Promise<OpenDispatch[]> {
    const [children, reported] = await Promise.all([job.children(), this.log.reported(runId)]);
    const missing: OpenDispatch[] = [];
    for (const open of board.waiting.filter(({ dispatch_id }) => !reported.has(dispatch_id))) {
      const state = children.get(open.dispatch_id);
      if (state === 'ended')
        await closeDispatch(this.log, { runId, topology: spec.topology }, open);
      else if (state === undefined) missing.push(open);
    }
    return missing;
  }
}
