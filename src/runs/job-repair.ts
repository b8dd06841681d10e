import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EventData } from '../domain/events/event.js';
import { isLibrarian } from '../domain/librarian.js';
import { topRole, type RunSpec } from '../domain/run.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import { RUN_LIFECYCLE, type RunLifecycle } from '../event-log/run-lifecycle.js';
import { Clock } from '../lib/clock.js';
import { QueuePort } from '../queues/queue-port.js';
import { RunControl } from './run-control.js';

type DispatchData = EventData['dispatch.worker'];
type ReportData = EventData['dispatch.report'];

/** How often a run is started again without progress before it is ended. */
const MOST_STARTS = 5;
/**
 * ms after the last event until each sweep compares the jobs of a run with its log, and ms between
 * comparisons before that.
 */
const QUIET_MS = 10_000;
const LOOK_AGAIN_MS = 15_000;

/** Compares the jobs of an open run with its log, and adds those that are missing. */
@Injectable()
export class JobRepair {
  private readonly logger = new Logger(JobRepair.name);
  /** Runs whose dispatches were compared recently. */
  private readonly compared = new LRUCache<string, true>({ max: 10_000, ttl: LOOK_AGAIN_MS });

  constructor(
    private readonly log: LogPort,
    private readonly queues: QueuePort,
    private readonly control: RunControl,
    private readonly clock: Clock,
    @Inject(RUN_LIFECYCLE) private readonly lifecycle: readonly RunLifecycle[],
  ) {}

  async repair(runId: string, state: RunState): Promise<void> {
    if (await this.queues.isQueued(runId, topRole(state.head.kind)))
      return this.repairDispatches(runId, state);
    const spec = await this.log.spec(runId);
    if (!spec)
      return this.orphan(runId, 'The run cannot be resumed: its specification is missing.');
    if ((await this.log.countStart(runId)) > MOST_STARTS)
      return this.orphan(runId, `The run made no progress: it was restarted ${MOST_STARTS} times.`);
    this.logger.warn({
      msg: 'the job of a run was missing from its queue, and the run continues with a new one; if this recurs, check whether Redis loses or evicts keys',
      runId,
    });
    await this.restart(runId, spec);
  }

  /** A lifecycle handler may end the run. */
  private async restart(runId: string, spec: RunSpec): Promise<void> {
    for (const handler of this.lifecycle) await handler.beforeRestart?.(runId, spec);
    const state = await this.log.state(runId);
    if (state && !isTerminalStatus(state.status)) await this.control.start(runId, spec);
  }

  /** Ends a run that cannot be resumed. */
  private async orphan(runId: string, why: string): Promise<void> {
    await this.control.fail(runId, 'ORPHANED', why);
  }

  private async repairDispatches(
    runId: string,
    { updatedAt, head: { order } }: RunState,
  ): Promise<void> {
    const isQuiet = this.clock.now() - updatedAt >= QUIET_MS;
    if (!isQuiet && this.compared.has(runId)) return;
    this.compared.set(runId, true);
    const events = await this.log.reports(runId);
    const reported = new Set(
      events
        .filter(({ event }) => event.action === 'report')
        .map(({ data }) => (data as ReportData).dispatch_id),
    );
    for (const { event, data } of events) {
      if (event.action === 'report') continue;
      const { dispatch_id: dispatchId, agent_id: agentId, task } = data as DispatchData;
      // The librarian runs in the job of its agent.
      if (isLibrarian(agentId)) continue;
      const job = { runId, dispatchId, agentId, task, ...(order !== undefined && { order }) };
      if (await this.queues.revive(job, reported.has(dispatchId)))
        this.logger.warn({
          msg: 'the job of an agent was missing from its queue and was added again; if this recurs, check whether Redis loses or evicts keys',
          runId,
          dispatchId,
          agentId,
        });
    }
  }
}
