import type { EventData } from '../../domain/events/event.js';

type Warning = EventData['system.warning'];

/** How often and how long a run has waited for the provider of each model. */
export type ProviderWaits = Readonly<Record<string, Waits>>;
interface Waits {
  count: number;
  ms: number;
  last: Warning;
}

const CODES = ['RATE_LIMITED', 'OVERLOADED', 'AI_ERROR'];

const nameOf = (model: unknown): string => (typeof model === 'string' ? model : '');

const msOf = ({ retry_in_ms: ms }: Warning): number => (typeof ms === 'number' ? ms : 0);

/**
 * Returns the model whose provider a warning reports a wait for; undefined if another model is
 * called at once, or the warning has another subject.
 */
export const waitsFor = (warning: Warning): string | undefined =>
  CODES.includes(warning.code) && warning['retryable'] === true && msOf(warning) > 0
    ? nameOf(warning['model'])
    : undefined;

/**
 * Counts a warning.
 * @returns the new counts, and whether to show the warning: only the first wait for a model is
 *   shown
 */
export function countWait(waits: ProviderWaits, warning: Warning): [ProviderWaits, boolean] {
  const model = waitsFor(warning);
  if (model === undefined) return [waits, true];
  const { count, ms } = waits[model] ?? { count: 0, ms: 0 };
  const next = { count: count + 1, ms: ms + msOf(warning), last: warning };
  return [{ ...waits, [model]: next }, count === 0];
}

/** Returns the warnings for the end of a run: one for each model with repeated waits. */
export const waitTotals = (waits: ProviderWaits): Warning[] =>
  Object.values(waits)
    .filter(({ count }) => count > 1)
    .map(totalOf);

/** Returns the last warning of a wait, with the number of all for its model so far. */
export function totalOf({ count, ms, last }: Waits): Warning {
  const model = nameOf(last['model']);
  const of = model === '' ? '' : ` of "${model}"`;
  const message = `Waited ${count} times for the provider${of}, ${Math.ceil(ms / 1_000)} s in all.`;
  return { ...last, message, count };
}
