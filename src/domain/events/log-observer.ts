import type { DraftEvent } from './event.js';

/** Sees what this process appends to logs: for metrics. Must not throw. */
export interface LogObserver {
  /** @param tookMs of the append */
  appended(events: readonly DraftEvent[], tookMs: number): void;
}

/** Injection token of the observer. */
export const LOG_OBSERVER = Symbol('LOG_OBSERVER');
