import type { DraftEvent } from './event.js';

/** Sees what this process appends to logs, and receives from them: for metrics. Must not throw. */
export interface LogObserver {
  /** @param bytes of the events in the log, without what the append adds */
  appended(events: readonly DraftEvent[], append: { tookMs: number; bytes: number }): void;
  /**
   * Called for some of the published events that this process receives.
   * @param lagMs from their append
   */
  received(lagMs: number): void;
}

/** Injection token of the observer. */
export const LOG_OBSERVER = Symbol('LOG_OBSERVER');
