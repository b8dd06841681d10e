import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EventData } from '../domain/events/event.js';
import { isLibrarian } from '../domain/librarian.js';
import { isTerminalStatus, topRole, type RunSpec } from '../domain/run.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import { RunIndex, type OpenRun } from '../event-log/run-index.js';
import { RUN_LIFECYCLE, type RunLifecycle } from '../event-log/run-lifecycle.js';
import { QueuePort } from '../queues/queue-port.js';
import { RunControl } from './run-control.js';

type Dispatched = EventData['dispatch.worker'];
type Reported = EventData['dispatch.report'];

/** A run is given this long between its index entry, its log and its job before it counts as left behind. */
const SETTLE_MS = 2_000;
/** An index entry without a log is a trigger that died, or one whose reply takes very long. */
const FORGET_MS = 60_000;
/** A run in which nothing has happened for so long is looked at more closely. */
const QUIET_MS = 10_000;
/** How often a run is started again that gets no further before it is given up. */
const MOST_STARTS = 5;
/** What agents get after the deadline to report before the run is ended over their heads. Contract section 4. */
const GRACE_MS = 5_000;

/**
 * Repairs a run after a crash between its index entry, its log and its jobs: starts an accepted run that has no job, ends one
 * that is past its deadline or cannot be resumed, and forgets one that was never accepted.
 */
@Injectable()
export class RunRepair {
  private readonly logger = new Logger(RunRepair.name);

  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
    private readonly queues: QueuePort,
    private readonly control: RunControl,
    @Inject(RUN_LIFECYCLE) private readonly lifecycle: readonly RunLifecycle[],
  ) {}

  /** Compares one run with its log and its jobs, and repairs the difference. Repeating it has no effect. */
  async look({ runId, topologyId, createdAt }: OpenRun): Promise<void> {
    const age = Date.now() - createdAt;
    const state = await this.log.state(runId);
    if (!state) {
      if (age > FORGET_MS) await this.index.remove(runId, topologyId);
      return;
    }
    if (isTerminalStatus(state.status)) return this.clear(runId, topologyId, state);
    if (Date.now() > state.createdAt + state.head.timeoutMs + GRACE_MS) {
      await this.control.fail(
        runId,
        'DEADLINE',
        `The run did not end within ${state.head.timeoutMs / 1_000} s.`,
      );
      return;
    }
    if (age < SETTLE_MS) return;
    if (await this.queues.isQueued(runId, topRole(state.head.kind)))
      return this.lookBelow(runId, state);
    const spec = await this.log.spec(runId);
    if (!spec) return this.orphan(runId, 'What the run was started with is gone.');
    if ((await this.log.countStart(runId)) > MOST_STARTS)
      return this.orphan(
        runId,
        `Nothing works on the run: it was started ${MOST_STARTS} times again, and got no further.`,
      );
    this.logger.warn({ msg: 'a run had no job: it is started again', runId });
    await this.restart(runId, spec);
  }

  /** Its lifecycle hook may end it. */
  private async restart(runId: string, spec: RunSpec): Promise<void> {
    for (const handler of this.lifecycle) await handler.beforeRestart?.(runId, spec);
    const state = await this.log.state(runId);
    if (state && !isTerminalStatus(state.status)) await this.control.start(runId, spec);
  }

  /** A run that nobody works on, and that cannot be resumed. */
  private async orphan(runId: string, why: string): Promise<void> {
    await this.control.fail(runId, 'ORPHANED', why);
  }

  /** A run that was ended from outside leaves jobs behind where whoever ended it died too soon. One that completed has none. */
  private async clear(
    runId: string,
    topologyId: number,
    { status, head }: RunState,
  ): Promise<void> {
    if (status !== 'completed') {
      const left = await this.queues.remove(
        runId,
        await this.log.dispatched(runId),
        topRole(head.kind),
      );
      if (left.length > 0) return;
    }
    await this.index.close(runId, topologyId);
  }

  /** A parent waits for ever for a child whose job got lost: puts it back. Only where nothing has happened for a while. */
  private async lookBelow(runId: string, { updatedAt }: RunState): Promise<void> {
    if (Date.now() - updatedAt < QUIET_MS) return;
    const events = await this.log.reports(runId);
    const reported = new Set(
      events
        .filter(({ event }) => event.action === 'report')
        .map(({ data }) => (data as Reported).dispatch_id),
    );
    for (const { event, data } of events) {
      if (event.action === 'report') continue;
      const { dispatch_id: dispatchId, agent_id: agentId, task } = data as Dispatched;
      // It works in its agent's job.
      if (isLibrarian(agentId)) continue;
      if (await this.queues.revive({ runId, dispatchId, agentId, task }, reported.has(dispatchId)))
        this.logger.warn({ msg: 'a dispatch had no job: it is queued again', runId, dispatchId });
    }
  }
}
