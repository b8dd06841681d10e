import { Injectable } from '@nestjs/common';
import { isTerminalStatus } from '../domain/run-status.js';
import { LogPort, type RunState } from '../event-log/log-port.js';
import type { OpenRun, RunLists } from '../event-log/run-index.js';
import { Clock } from '../lib/clock.js';
import { JobRepair } from './job-repair.js';
import { RunCloser } from './run-closer.js';
import { RunControl } from './run-control.js';

/** ms that a run may take between its index entry, its log and its job. */
const SETTLE_MS = 2_000;
/** ms after which an index entry without a log is removed: the process of its trigger was lost. */
const FORGET_MS = 60_000;
/**
 * ms after the deadline that agents have to report before the run is ended (contract section 4).
 */
const GRACE_MS = 5_000;

/**
 * Repairs a run after a crash between its index entry, its log and its jobs: starts an accepted run
 * without a job, ends one that is past its deadline or cannot be resumed, and forgets one that was
 * never accepted. Idempotent.
 */
@Injectable()
export class RunRepair {
  constructor(
    private readonly log: LogPort,
    private readonly closer: RunCloser,
    private readonly control: RunControl,
    private readonly jobs: JobRepair,
    private readonly clock: Clock,
  ) {}

  async repair({ runId, createdAt, ...lists }: OpenRun): Promise<void> {
    const now = this.clock.now();
    const state = await this.log.state(runId);
    if (!state) {
      if (now - createdAt > FORGET_MS) await this.closer.forget(runId, lists);
      return;
    }
    const { status, head } = state;
    if (isTerminalStatus(status)) return this.clear(runId, lists, state);
    if (now > state.createdAt + head.timeoutMs + GRACE_MS) {
      const seconds = head.timeoutMs / 1_000;
      await this.control.fail(runId, 'DEADLINE', `The run did not end within ${seconds} s.`);
    } else if (now - createdAt >= SETTLE_MS) {
      if (await this.control.cancelIfAbandoned(runId, head)) return;
      await this.jobs.repair(runId, state);
    }
  }

  /** Removes jobs that a run ended from outside may have left. */
  private async clear(runId: string, lists: RunLists, { status, head }: RunState): Promise<void> {
    if (status !== 'completed' && (await this.control.removeJobs(runId, head)).length > 0) return;
    await this.closer.close(runId, lists);
  }
}
