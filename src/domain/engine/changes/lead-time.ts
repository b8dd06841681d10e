const MINUTE = 60_000;

/** Clocks and scrape intervals blur an onset by this much. */
export const SLACK_MS = 45_000;

/** `08:15`, UTC. */
export const clock = (time: number): string => new Date(time).toISOString().slice(11, 16);

/** How long before something a change went live: `40 s before`, `3 min before`, `5 h before`. */
export function before(ms: number): string {
  if (ms < 1_000) return 'right before';
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s before`;
  const minutes = Math.round(ms / MINUTE);
  return minutes < 120 ? `${minutes} min before` : `${Math.round(minutes / 60)} h before`;
}
