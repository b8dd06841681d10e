/** LOG_MAX_EVENTS, LOG_MAX_BYTES and EVENT_MAX_BYTES. */
export interface LogBounds {
  logMaxEvents: number;
  logMaxBytes: number;
  eventMaxBytes: number;
}

/**
 * The share of a log that is reserved for reports of agents, for measurements of the service, and
 * for the conclusion.
 */
const RESERVED = 0.2;

/**
 * The number of further events that fit into a log before the one that ends its run, if they are as
 * large as those so far.
 */
export function roomIn(
  { logMaxEvents, logMaxBytes, eventMaxBytes }: LogBounds,
  { events, bytes }: { events: number; bytes: number },
): number {
  const bytesLeft = logMaxBytes - eventMaxBytes - bytes;
  const byBytes = bytes > 0 ? Math.floor((bytesLeft * events) / bytes) : Infinity;
  return Math.max(0, Math.min(logMaxEvents - 1 - events, byBytes));
}

/** Whether only the reserved part of a log is left. */
export const isReserveLeft = (room: number, events: number): boolean =>
  room <= RESERVED * (events + room);
