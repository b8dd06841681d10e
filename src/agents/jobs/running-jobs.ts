import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LogPort } from '../../event-log/log-port.js';
import { Cancellations } from '../../queues/cancellations.js';
import { LostError } from '../runtime/run-writer.js';

/**
 * How often running work is compared with the log: the announcement of a cancel may have been lost.
 */
const COMPARE_MS = 2_000;

/** The work of this process by run, so that it stops when its run is cancelled. */
@Injectable()
export class RunningJobs implements OnApplicationShutdown {
  private readonly runs = new Map<AbortController, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: LogPort,
    private readonly cancellations: Cancellations,
  ) {}

  /** Begins to watch a run for a piece of work. @returns ends it */
  watch(runId: string, stop: AbortController): () => void {
    this.timer ??= setInterval(() => void this.compareWithLog(), COMPARE_MS).unref();
    const cancelled = this.cancellations
      .of(runId)
      .subscribe(() => stop.abort(new LostError('sealed')));
    this.runs.set(stop, runId);
    return () => {
      cancelled.unsubscribe();
      this.runs.delete(stop);
    };
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async compareWithLog(): Promise<void> {
    for (const runId of new Set(this.runs.values())) {
      // Redis cannot be reached: try again next time.
      const tail = await this.log.tail(runId).catch(() => undefined);
      if (!tail?.sealed) continue;
      for (const [stop, id] of this.runs) if (id === runId) stop.abort(new LostError('sealed'));
    }
  }
}
