import { Injectable, Logger } from '@nestjs/common';
import { LogPort } from '../../event-log/log-port.js';
import type { AgentJob } from '../../queues/job-ids.js';
import { isStoreFailure } from '../../redis/store-failure.js';
import { RunControl } from '../../runs/run-control.js';
import { closeDispatch } from '../runtime/close-dispatch.js';
import { LostError } from '../runtime/run-writer.js';

/**
 * Ends agents that cannot continue. They report that they failed, so that the agent that dispatched
 * them does not wait forever.
 */
@Injectable()
export class FailedJobs {
  private readonly logger = new Logger(FailedJobs.name);

  constructor(
    private readonly log: LogPort,
    private readonly control: RunControl,
  ) {}

  /**
   * No process can ever continue this: its run has no such agent, or its specification is missing.
   */
  async failUnresumable({ runId, dispatchId, agentId }: AgentJob): Promise<void> {
    if (dispatchId === null) {
      const message = 'The run cannot be resumed: its pinned configuration is missing.';
      await this.control.fail(runId, 'ORPHANED', message);
      return;
    }
    await this.close({ runId, agentId }, dispatchId);
  }

  /** Ends a run whose log has no room for another step. */
  async failFull(runId: string): Promise<void> {
    await this.control.failFull(runId);
  }

  /** Reports `failed` for a dispatch, or ends the run if its log has no room for that. */
  private async close(
    { runId, agentId }: Pick<AgentJob, 'runId' | 'agentId'>,
    dispatchId: string,
    reason?: 'AGENT_CRASHED',
  ): Promise<void> {
    const spec = await this.log.spec(runId);
    if (!spec) return;
    try {
      const dispatch = { dispatch_id: dispatchId, agent_id: agentId };
      await closeDispatch(this.log, { runId, topology: spec.topology }, dispatch, reason);
    } catch (error) {
      if (!(error instanceof LostError) || error.why !== 'full') throw error;
      await this.failFull(runId);
    }
  }

  /**
   * The agent has crashed its process as often as allowed: it fails by name, and the rest of the
   * run continues.
   */
  async failAfterCrashes({ runId, dispatchId, agentId }: AgentJob, crashes: number): Promise<void> {
    const msg = 'an agent ended its process repeatedly';
    this.logger.error({ msg, runId, dispatchId, agentId, crashes });
    if (dispatchId === null) {
      const message = `The process of the agent at the top was lost ${crashes} times.`;
      await this.control.fail(runId, 'AGENT_CRASHED', message);
    } else await this.close({ runId, agentId }, dispatchId, 'AGENT_CRASHED');
  }

  /**
   * A fault of the service ended the agent.
   * @returns false if that could not be recorded, because the store fails
   */
  async fail({ runId, dispatchId, agentId }: AgentJob, error: unknown): Promise<boolean> {
    this.logger.error({
      msg: 'an agent failed',
      runId,
      dispatchId,
      error: String(error),
      stack: (error as Error)?.stack,
    });
    try {
      if (dispatchId !== null) await this.close({ runId, agentId }, dispatchId);
      else {
        const message = 'The run ended because of a fault in the service.';
        await this.control.fail(runId, 'INTERNAL_ERROR', message);
      }
      return true;
    } catch (failure) {
      if (isStoreFailure(failure)) return false;
      throw failure;
    }
  }
}
