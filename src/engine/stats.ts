/**
 * Linear interpolation between the closest ranks (type 7 of Hyndman and Fan, 1996). NaN for an
 * empty list.
 */
export function quantile(values: readonly number[], q: number): number {
  return quantileOfSorted(ascending(values), q);
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

function quantileOfSorted(sorted: readonly number[], q: number): number {
  const position = (sorted.length - 1) * q;
  const low = sorted[Math.floor(position)] ?? NaN;
  const high = sorted[Math.ceil(position)] ?? low;
  return low + (position - Math.floor(position)) * (high - low);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Lower quartile, median and upper quartile. */
export function quartiles(values: readonly number[]): [number, number, number] {
  const sorted = ascending(values);
  const at = (q: number) => quantileOfSorted(sorted, q);
  return [at(0.25), at(0.5), at(0.75)];
}

/** Interquartile range: a spread that a few outliers do not move. */
export function interquartileRange(values: readonly number[]): number {
  const [low, , high] = quartiles(values);
  return high - low;
}

/** Median absolute deviation, scaled to the standard deviation of a normal distribution. */
export const medianDeviation = (values: readonly number[], centre: number): number =>
  1.4826 * median(values.map((value) => Math.abs(value - centre)));

export const clamp = (value: number, least = 0, most = 1): number =>
  Math.min(most, Math.max(least, value));

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** 0.4213 → "0.42", 1234.5 → "1234": a number for a sentence. */
export function showNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return String(round(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4));
}
