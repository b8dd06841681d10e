import {
  Inject,
  Injectable,
  Logger,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { RunIndex } from '../event-log/run-index.js';
import { isStoreFailure, reportDenied } from '../redis/store-failure.js';
import { QueuePort } from '../queues/queue-port.js';
import { RunRepair } from './run-repair.js';

/**
 * Ends the delays of jobs that are over, and repairs all open runs, every `SWEEP_SECONDS`. Several
 * processes may do so at once.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Sweeper.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly index: RunIndex,
    private readonly repair: RunRepair,
    private readonly queues: QueuePort,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const next = () => {
      this.sweeping = this.sweep()
        .catch((error: unknown) => {
          reportDenied(error, this.logger);
          this.logger.debug(`could not sweep the open runs: ${String(error)}`);
        })
        .finally(
          () => this.timer && (this.timer = setTimeout(next, this.config.sweepSeconds * 1_000)),
        );
    };
    this.timer = setTimeout(next, this.config.sweepSeconds * 1_000);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.sweeping;
  }

  /**
   * Ends delays and repairs all open runs; continues with the next one after a failure.
   * @throws only if the store is unavailable
   */
  async sweep(): Promise<void> {
    await this.queues.endDelays();
    for (const run of await this.index.open())
      await this.repair.repair(run).catch((error: unknown) => {
        if (isStoreFailure(error)) throw error;
        this.logger.error({
          msg: 'could not repair a run',
          runId: run.runId,
          error: String(error),
        });
      });
  }
}
