import { setTimeout as sleep } from 'node:timers/promises';

/** ms between two looks: they cost processor time, so that they become rarer while a test waits. */
const LEAST_MS = 5;
const MOST_MS = 100;

/**
 * Polls until a function returns something, and returns it.
 * @throws after `ms`, with the name of what was awaited
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  ms = 180_000,
): Promise<NonNullable<T>> {
  const began = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    const waited = performance.now() - began;
    if (waited > ms) throw new Error(`not seen within ${ms} ms: ${what}`);
    await sleep(Math.min(MOST_MS, Math.max(LEAST_MS, waited / 20)));
  }
}
