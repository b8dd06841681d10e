import { medianDeviation, quartiles } from '../../stats.js';

/** The usual values of a series: a range around one value. */
export interface Band {
  from: number;
  /** A robust standard deviation of the usual values. */
  spread: number;
  /** Greatest distance from the usual value that is still usual. */
  limit: number;
}

/**
 * The band: five robust standard deviations, and half as wide again as the usual values ever were.
 */
const BAND_DEVIATIONS = 5;
const BAND_WIDTH = 1.5;
/** The minimum spread, as a share of the usual value, and that of a series that is always zero. */
const LEAST_SPREAD = 0.02;
const NO_SPREAD = 1e-9;

/**
 * That of a robust control chart (median and MAD in place of mean and standard deviation; Rousseeuw
 * and Croux, 1993), so that single outliers do not widen it.
 */
export function bandOf(usual: readonly number[], leastSpread = LEAST_SPREAD): Band {
  const [low, from, high] = quartiles(usual);
  const spread = Math.max(
    (high - low) / 1.35,
    medianDeviation(usual, from),
    Math.abs(from) * leastSpread,
    leastStep(usual),
    NO_SPREAD,
  );
  const widest = Math.max(...usual.map((value) => Math.abs(value - from)));
  return { from, spread, limit: Math.max(BAND_DEVIATIONS * spread, BAND_WIDTH * widest) };
}

/** 1 above the band, -1 below it, 0 inside. */
export const sideOf = (value: number, { from, limit }: Band): 1 | 0 | -1 =>
  value - from > limit ? 1 : from - value > limit ? -1 : 0;

/** The minimum distance between two different values: a count moves by one, or more. */
function leastStep(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const steps = sorted.slice(1).map((value, i) => value - (sorted[i] ?? NaN));
  const least = Math.min(...steps.filter((step) => step > 0));
  return Number.isFinite(least) ? least : 0;
}
