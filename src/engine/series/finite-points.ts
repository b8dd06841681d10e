import type { Series } from '../../domain/telemetry/records.js';
import { median } from '../stats.js';

type Points = Pick<Series, 'times' | 'values'>;

/**
 * The points that have a value: a quotient of two counters is NaN or infinite while nothing is
 * counted.
 */
export function finitePoints({ times, values }: Points): Points {
  if (values.every(Number.isFinite)) return { times, values };
  const isKept = (_: number, i: number) => Number.isFinite(values[i]);
  return { times: times.filter(isKept), values: values.filter(isKept) };
}

/** The usual time between two points. */
export const stepOf = (times: readonly number[]): number =>
  median(times.slice(1).map((at, i) => at - (times[i] ?? NaN)));
