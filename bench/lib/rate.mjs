import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './clock.mjs';

/**
 * Calls `send(0)`, `send(1)` … at a rate per second, as evenly as a timer of 1 ms allows, and waits
 * for all calls.
 */
export async function atRate(rate, seconds, send) {
  const total = Math.round(rate * seconds);
  const begun = [];
  const start = now();
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((now() - start) * rate) / 1_000) + 1);
    for (; sent < due; sent++) begun.push(send(sent));
    await sleep(1);
  }
  await Promise.all(begun);
  return { start, end: now() };
}
