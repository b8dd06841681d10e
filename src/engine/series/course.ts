import type { Series } from '../../domain/telemetry/records.js';
import { mean } from '../stats.js';

/** A series in a few evenly spaced steps. */
export interface Course {
  /** Start of the first step, in ms since 1970. */
  start: number;
  /** Length of a step, in ms. */
  step: number;
  /** The mean of each step, to four digits; null where it has no point. */
  values: (number | null)[];
}

const DIGITS = 4;

/**
 * Reduces a series to at most `most` steps, enough to draw it.
 * @returns undefined if its points have no extent in time
 */
export function courseOf(
  { times, values }: Pick<Series, 'times' | 'values'>,
  most: number,
): Course | undefined {
  const start = times[0] ?? 0;
  const end = times.at(-1) ?? 0;
  if (end <= start) return undefined;
  const count = Math.min(most, times.length);
  const step = Math.ceil((end - start) / count);
  const steps: number[][] = Array.from({ length: count }, () => []);
  for (const [i, time] of times.entries()) {
    const value = values[i] ?? NaN;
    if (Number.isFinite(value))
      steps[Math.min(count - 1, Math.floor((time - start) / step))]?.push(value);
  }
  const means = steps.map((each) =>
    each.length === 0 ? null : Number(mean(each).toPrecision(DIGITS)),
  );
  return { start, step, values: means };
}
