import { Inject, Injectable } from '@nestjs/common';
import { LogPort } from '../event-log/log-port.js';
import { RunIndex, type RunLists } from '../event-log/run-index.js';
import { RUN_CLOSING, type RunClosing } from '../event-log/run-lifecycle.js';

/**
 * Removes runs that have ended from the sweeper's list, and calls the handlers for their end. They
 * keep no topology.
 */
@Injectable()
export class RunCloser {
  constructor(
    private readonly log: LogPort,
    private readonly index: RunIndex,
    @Inject(RUN_CLOSING) private readonly handlers: readonly RunClosing[],
  ) {}

  /**
   * @throws errors of a handler or the store; if the run is still open, a later sweep tries again
   */
  async close(runId: string, lists: RunLists): Promise<void> {
    for (const handler of this.handlers) await handler.beforeClose?.(runId);
    await this.log.dropTopology(runId);
    if (!(await this.index.close(runId, lists))) return;
    for (const handler of this.handlers) await handler.afterClose?.(runId);
  }

  /** Removes a run that was never accepted from all lists. */
  forget(runId: string, lists: RunLists): Promise<void> {
    return this.index.remove(runId, lists);
  }

  /** As {@link RunIndex.isOpen}. */
  isOpen(...run: Parameters<RunIndex['isOpen']>): Promise<boolean> {
    return this.index.isOpen(...run);
  }
}
