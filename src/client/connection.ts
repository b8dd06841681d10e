/** How a client is connected with the event stream of a run. */
export type Connection =
  | { state: 'connecting' | 'open' }
  | {
      /** `offline`: this machine has no network. */
      state: 'waiting' | 'offline';
      /** Number of connections since the last event, from 1. */
      attempt: number;
      /** When it connects again. ms since 1970. */
      retryAt: number;
      /** Why it is not connected. */
      reason: string;
    };

/** What a browser knows; elsewhere there is no `navigator`, or it does not say. */
const isOffline = (): boolean =>
  (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false;

/** The state between two connections. @param wait ms */
export const between = (attempt: number, wait: number, reason: string): Connection => ({
  state: isOffline() ? 'offline' : 'waiting',
  attempt,
  retryAt: Date.now() + wait,
  reason,
});
