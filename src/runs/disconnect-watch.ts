import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { EventLog } from '../event-log/event-log.js';
import { RunControl } from './run-control.js';

const PATIENCE_MS = 10_000;

/** Cancels runs that were triggered with `onDisconnect: "cancel"` when nobody has followed them, on any node, for 10 s. */
@Injectable()
export class DisconnectWatch implements OnApplicationShutdown {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly log: EventLog,
    private readonly control: RunControl,
  ) {}

  /** A client has gone, or has not come yet. */
  left(runId: string): void {
    clearTimeout(this.timers.get(runId));
    this.timers.set(
      runId,
      setTimeout(() => void this.check(runId), PATIENCE_MS),
    );
  }

  /** Somebody follows. */
  came(runId: string): void {
    clearTimeout(this.timers.get(runId));
    this.timers.delete(runId);
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private async check(runId: string): Promise<void> {
    this.timers.delete(runId);
    try {
      if (!(await this.log.isFollowed(runId)))
        await this.control.cancel(runId, 'Nobody followed the run any more');
    } catch {
      // Redis is away: look again.
      this.left(runId);
    }
  }
}
