const MINUTE = 60_000;

/** Clocks and scrape intervals make an onset uncertain by this much. */
export const SLACK_MS = 45_000;

const SAME_DAY_MS = 12 * 60 * MINUTE;

/** `08:15`, UTC; `2026-11-22 08:15` if that is half a day or more from the other time. */
export const clock = (time: number, near = time): string => {
  const iso = new Date(time).toISOString();
  const hour = iso.slice(11, 16);
  return Math.abs(near - time) < SAME_DAY_MS ? hour : `${iso.slice(0, 10)} ${hour}`;
};

/** How long before something a change went live: `40 s before`, `3 min before`, `5 h before`. */
export function before(ms: number): string {
  if (ms < 1_000) return 'right before';
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s before`;
  const minutes = Math.round(ms / MINUTE);
  return minutes < 120 ? `${minutes} min before` : `${Math.round(minutes / 60)} h before`;
}
