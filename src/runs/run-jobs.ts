import { Injectable } from '@nestjs/common';
import { topOf, topRole, type RunHead, type RunSpec } from '../domain/run.js';
import { LogPort } from '../event-log/log-port.js';
import { Cancellations } from '../queues/cancellations.js';
import { QueuePort } from '../queues/queue-port.js';

/** The jobs of runs: adds the first one, stops and removes those of a run that has ended. */
@Injectable()
export class RunJobs {
  constructor(
    private readonly log: LogPort,
    private readonly queues: QueuePort,
    private readonly cancellations: Cancellations,
  ) {}

  /**
   * Queues the agent at the top. Harmless when repeated.
   * @param delayMs until it may begin
   */
  async start(runId: string, spec: RunSpec, delayMs = 0): Promise<void> {
    const { kind, order, userMessage, task = userMessage } = spec;
    const job = {
      runId,
      dispatchId: null,
      agentId: topOf(spec).agentId,
      task,
      ...(delayMs > 0 && { delayMs }),
      ...(order !== undefined && { order }),
    };
    await this.queues.start(job, topRole(kind));
  }

  /**
   * Removes the jobs of a run that has ended.
   * @returns the dispatches (null: the top) that a process still works on
   */
  async remove(runId: string, { kind }: Pick<RunHead, 'kind'>): Promise<(string | null)[]> {
    return this.queues.remove(runId, await this.log.dispatched(runId), topRole(kind));
  }

  /**
   * Announces the end of a run to the processes that work on it, then removes its jobs.
   * @returns as `remove`
   */
  async stop(runId: string, head: Pick<RunHead, 'kind'>): Promise<(string | null)[]> {
    await this.cancellations.announce(runId);
    return this.remove(runId, head);
  }
}
