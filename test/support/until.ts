import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until a function returns something, and returns it.
 * @throws after `ms`, with the name of what was awaited
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  ms = 180_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`not seen within ${ms} ms: ${what}`);
    await sleep(10);
  }
}
