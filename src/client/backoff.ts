const FIRST_MS = 100;
const LONGEST_MS = 3_000;

/**
 * Returns the ms to wait before the next connection. Doubles each time, with jitter so that clients
 * do not reconnect together.
 */
export function backoffMs(attempt: number, random: number): number {
  const most = Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
  return most * (0.5 + random / 2);
}
