import type { EventData } from '../../domain/events/event.js';

type Warning = EventData['system.warning'];

/** How often, and for how long, a run has waited for each model's provider. */
export type ProviderWaits = Readonly<Record<string, { count: number; ms: number; last: Warning }>>;

const CODES = ['RATE_LIMITED', 'OVERLOADED', 'AI_ERROR'];

const nameOf = (model: unknown): string => (typeof model === 'string' ? model : '');

/** The model that a warning waits for; undefined if it is about something else. */
export const waitsFor = ({ code, retryable, model }: Warning): string | undefined =>
  CODES.includes(code) && retryable === true ? nameOf(model) : undefined;

/** Counts a warning. @returns with it, whether it is to be shown: of repeated waits for one model only the first */
export function countWait(waits: ProviderWaits, warning: Warning): [ProviderWaits, boolean] {
  const model = waitsFor(warning);
  if (model === undefined) return [waits, true];
  const { count, ms } = waits[model] ?? { count: 0, ms: 0 };
  const more = typeof warning['retry_in_ms'] === 'number' ? warning['retry_in_ms'] : 0;
  return [{ ...waits, [model]: { count: count + 1, ms: ms + more, last: warning } }, count === 0];
}

/** What is said at the end of a run about repeated waits: one message for each model. */
export const waitTotals = (waits: ProviderWaits): Warning[] =>
  Object.values(waits)
    .filter(({ count }) => count > 1)
    .map(({ count, ms, last }) => ({
      ...last,
      message: `Waited ${count} times for the provider${nameOf(last['model']) === '' ? '' : ` of "${nameOf(last['model'])}"`}, ${Math.ceil(ms / 1_000)} s in all.`,
      count,
    }));
