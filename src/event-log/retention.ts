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
import { isTerminalStatus } from '../domain/run.js';
import { Clock } from '../lib/clock.js';
import { LogPort } from './log-port.js';
import { RUN_LIFECYCLE, type RunLifecycle } from './run-lifecycle.js';
import { RunIndex, type FinishedRun } from './run-index.js';

const EVERY_MS = 60_000;
/** A process that leads and is not heard of for so long does not lead any more. */
const LEAD_MS = 30_000;
/** Runs of one step, and the pause between two: Redis has better things to do. */
const [STEP, PAUSE_MS] = [20, 20];
const DAY_MS = 86_400_000;

/**
 * Drops the logs of runs that have ended for long, or that are too many (RETENTION_DAYS, RETENTION_RUNS), and forgets runs
 * that are older still (INDEX_RETENTION_DAYS). One process at a time does so, in small steps; each is harmless twice.
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

  /** @param now ms since the epoch @returns runs whose logs were dropped, and runs that were forgotten */
  async sweep(now = this.clock.now()): Promise<{ dropped: number; forgotten: number }> {
    if (!(await this.index.lead(this.me, LEAD_MS))) return { dropped: 0, forgotten: 0 };
    return { dropped: await this.dropLogs(now), forgotten: await this.forgetRuns(now) };
  }

  private async go(): Promise<void> {
    while (!this.stop.signal.aborted) {
      // Not all processes at once.
      await sleep(EVERY_MS * (0.5 + Math.random()), undefined, { signal: this.stop.signal }).catch(
        () => undefined,
      );
      if (this.stop.signal.aborted) return;
      try {
        await this.sweep();
      } catch (error) {
        this.logger.debug(`could not look after old runs: ${String(error)}`);
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
      // What failed stands first the next time: not for ever in this sweep.
      if (runs.length === failed || !(await this.goesOn())) return dropped;
    }
  }

  private async drop(run: FinishedRun): Promise<boolean> {
    try {
      if (await this.trim(run.runId)) await this.index.dropped(run);
      else await this.index.reopen(run);
      return true;
    } catch (error) {
      this.logger.error({
        msg: 'the log of a run could not be archived and dropped',
        runId: run.runId,
        error: String(error),
      });
      return false;
    }
  }

  /** Drops the events of a run. @returns false for a run that has not ended */
  async trim(runId: string): Promise<boolean> {
    const state = await this.log.state(runId);
    if (state && isTerminalStatus(state.status) && !state.expired)
      for (const handler of this.lifecycle) await handler.beforeTrim?.(runId, state.head);
    return this.log.trim(runId);
  }

  private async forgetRuns(now: number): Promise<number> {
    const before = now - this.config.indexRetentionDays * DAY_MS;
    let [forgotten, passed] = [0, 0];
    for (;;) {
      const ids = await this.index.older(before, passed, STEP);
      for (const runId of ids) {
        if (await this.forget(runId)) forgotten++;
        else passed++;
      }
      if (ids.length < STEP || !(await this.goesOn())) return forgotten;
    }
  }

  /** False: the run has not ended. */
  private async forget(runId: string): Promise<boolean> {
    const state = await this.log.state(runId);
    if (state && !(await this.trim(runId))) return false;
    // The index last: what is left of a run when this breaks off is found again.
    await this.log.forget(runId);
    await this.index.remove(runId, state?.head.topologyId ?? 0);
    return true;
  }

  private async goesOn(): Promise<boolean> {
    await sleep(PAUSE_MS, undefined, { signal: this.stop.signal }).catch(() => undefined);
    return !this.stop.signal.aborted && this.index.lead(this.me, LEAD_MS);
  }
}
