import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until there is something to see, and returns it.
 * @throws when there is still nothing after `ms`, naming what was waited for
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  ms = 15_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain: ${what}`);
    await sleep(10);
  }
}
