import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { isTerminalStatus } from '../domain/run-status.js';
import { Clock } from '../lib/clock.js';
import { enterDiagnoses } from './enter-diagnoses.js';
import { LogPort } from './log-port.js';
import { RUN_LIFECYCLE, type RunLifecycle } from './run-lifecycle.js';
import { RunIndex, type FinishedRun } from './run-index.js';

const EVERY_MS = 60_000;
/** Another process takes over if the leader did not renew its lease for this time. */
const LEAD_MS = 30_000;
/** Runs per step, and the pause between two steps, which leaves Redis to other commands. */
const STEP = 20;
const PAUSE_MS = 20;
const DAY_MS = 86_400_000;

/**
 * Deletes the logs of runs that ended long ago or that are too many (RETENTION_DAYS,
 * RETENTION_RUNS), forgets older runs (INDEX_RETENTION_DAYS), and completes the list of diagnoses.
 * One process at a time does this, in small steps. Each step can be repeated.
 */
@Injectable()
export class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Retention.name);
  private readonly me = randomUUID();
  private readonly stop = new AbortController();
  private going: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(RUN_LIFECYCLE) private readonly lifecycle: readonly RunLifecycle[],
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.going = this.go();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.going;
  }

  /**
   * Deletes logs and entries whose retention has ended.
   * @param now ms since the epoch
   * @returns number of deleted logs and of forgotten runs
   */
  async sweep(now = this.clock.now()): Promise<{ dropped: number; forgotten: number }> {
    if (!(await this.index.lead(this.me, LEAD_MS))) return { dropped: 0, forgotten: 0 };
    await enterDiagnoses(this.index, this.log, now, () => this.mayContinue());
    return { dropped: await this.dropLogs(now), forgotten: await this.forgetRuns(now) };
  }

  private async go(): Promise<void> {
    while (!this.stop.signal.aborted) {
      // Spreads the processes over time.
      await sleep(EVERY_MS * (0.5 + Math.random()), undefined, { signal: this.stop.signal }).catch(
        () => undefined,
      );
      if (this.stop.signal.aborted) return;
      try {
        await this.sweep();
      } catch (error) {
        this.logger.debug(`could not delete logs of old runs: ${String(error)}`);
      }
    }
  }

  private async dropLogs(now: number): Promise<number> {
    const { retentionDays, retentionRuns } = this.config;
    let dropped = 0;
    for (;;) {
      const runs = await this.index.surplus(now - retentionDays * DAY_MS, retentionRuns, STEP);
      let failed = 0;
      for (const run of runs) if (!(await this.drop(run))) failed++;
      dropped += runs.length - failed;
      // Only runs that failed are left in this step. They are first in the next sweep.
      if (runs.length === failed || !(await this.mayContinue())) return dropped;
    }
  }

  private async drop(run: FinishedRun): Promise<boolean> {
    try {
      if (await this.trim(run.runId)) await this.index.dropped(run);
      else await this.index.reopen(run);
      return true;
    } catch (error) {
      this.logger.error({
        msg: 'could not archive and delete the log of a run',
        runId: run.runId,
        error: String(error),
      });
      return false;
    }
  }

  /** Deletes the events of a run. @returns false if the run has not ended */
  async trim(runId: string): Promise<boolean> {
    const state = await this.log.state(runId);
    if (state && isTerminalStatus(state.status) && !state.expired)
      for (const handler of this.lifecycle) await handler.beforeTrim?.(runId, state.head);
    return this.log.trim(runId);
  }

  private async forgetRuns(now: number): Promise<number> {
    let forgotten = 0;
    for (const tenant of await this.index.tenants())
      forgotten += await this.forgetRunsOf(tenant, now);
    return forgotten;
  }

  private async forgetRunsOf(tenant: string, now: number): Promise<number> {
    const before = now - this.config.indexRetentionDays * DAY_MS;
    let forgotten = 0;
    let passed = 0;
    for (;;) {
      const ids = await this.index.older(tenant, before, passed, STEP);
      for (const runId of ids) {
        if (await this.forget(runId, tenant)) forgotten++;
        else passed++;
      }
      if (ids.length < STEP || !(await this.mayContinue())) return forgotten;
    }
  }

  /** Returns false if the run has not ended. */
  private async forget(runId: string, tenant: string): Promise<boolean> {
    const state = await this.log.state(runId);
    if (state && !(await this.trim(runId))) return false;
    // The index last: if this is interrupted, the next sweep finds the run again.
    await this.log.forget(runId);
    await this.index.remove(runId, { topologyId: state?.head.topologyId ?? 0, tenant });
    return true;
  }

  private async mayContinue(): Promise<boolean> {
    await sleep(PAUSE_MS, undefined, { signal: this.stop.signal }).catch(() => undefined);
    return !this.stop.signal.aborted && this.index.lead(this.me, LEAD_MS);
  }
}
