import type { Series, TimeWindow } from '../records.js';
import { finitePoints } from './finite-points.js';
import { median, medianDeviation, quartiles } from '../stats.js';

/** When a series left its usual band for good. */
export interface Onset {
  at: number;
  /** Usual value, and the value at the end. */
  from: number;
  to: number;
  /** Size of the change, in robust standard deviations of the usual values. */
  deviations: number;
  /** Greatest distance from the usual value that is still usual. */
  band: number;
  direction: 1 | -1;
  /** It grew or shrank steadily, rather than stepped. */
  ramp: boolean;
}

type Points = Pick<Series, 'times' | 'values'>;

const LEAST_POINTS = 8;
/** Usual values: the first 30 % of the points, 5 to 30 of them. */
const USUAL_SHARE = 0.3;
const USUAL_LEAST = 5;
const USUAL_MOST = 30;
/** The band: five robust standard deviations, and half as wide again as the usual values ever were. */
const BAND_DEVIATIONS = 5;
const BAND_WIDTH = 1.5;
/** A change lasts if this share of the points after it lies outside of the band on its side. */
const LASTING = 0.7;

/**
 * The onset of a lasting change in a series; undefined if there is none, or with fewer than eight points.
 *
 * The band is that of a robust control chart (median and MAD in place of mean and standard deviation; Rousseeuw and Croux,
 * 1993), so that a late onset and single outliers do not widen it. A series that steps for a while and returns is no change. A
 * ramp is followed back to where it left the middle: a leak starts long before it leaves the band.
 *
 * @param until points later than this begin no change
 * @param normal a time known to be normal, before or after the others: its points tell what is usual, and none of them is a change
 */
export function findOnset(
  series: Points,
  until = Infinity,
  normal?: TimeWindow,
): Onset | undefined {
  const { times, values, usual, first: usualCount } = split(finitePoints(series), normal);
  const count = times.length;
  if (count + usual.length - usualCount < LEAST_POINTS) return undefined;
  const [low, from, high] = quartiles(usual);
  const spread = Math.max(
    (high - low) / 1.35,
    medianDeviation(usual, from),
    Math.abs(from) * 0.02,
    1e-9,
  );
  const widest = Math.max(...usual.map((value) => Math.abs(value - from)));
  const limit = Math.max(BAND_DEVIATIONS * spread, BAND_WIDTH * widest);
  const sides = values.map((value) => (value - from > limit ? 1 : from - value > limit ? -1 : 0));

  for (let i = usualCount; i < count; i++) {
    const direction = sides[i];
    if ((direction !== 1 && direction !== -1) || (times[i] ?? Infinity) > until) continue;
    const rest = sides.slice(i);
    const share = rest.filter((side) => side === direction).length / rest.length;
    const first = values[i] ?? NaN;
    // A single last point needs to be far out: nothing confirms it.
    if (share < LASTING || (rest.length < 2 && Math.abs(first - from) < 4 * limit)) continue;
    const to = median(values.slice(Math.max(i, count - 5)));
    const ramp = isRamp(values.slice(i), { from, to, direction });
    const start = ramp ? rampStart(values, i, { from, direction, margin: 2 * spread }) : i;
    const deviations = Math.abs(to - from) / spread;
    return { at: times[start] ?? NaN, from, to, deviations, band: limit, direction, ramp };
  }
  return undefined;
}

/** The usual values of a series, and the points among which a change may begin, from the one at `first` on. */
function split({ times, values }: Points, normal: TimeWindow | undefined) {
  const isNormal = (at: number) => normal !== undefined && at >= normal.from && at <= normal.to;
  const known = values.filter((_, i) => isNormal(times[i] ?? NaN));
  if (known.length >= USUAL_LEAST) {
    const isOther = (_: number, i: number) => !isNormal(times[i] ?? NaN);
    return { times: times.filter(isOther), values: values.filter(isOther), usual: known, first: 0 };
  }
  const share = Math.min(Math.floor(times.length * USUAL_SHARE), USUAL_MOST);
  const first = Math.max(USUAL_LEAST, share);
  return { times, values, usual: values.slice(0, first), first };
}

function isRamp(
  rest: readonly number[],
  { from, to, direction }: { from: number; to: number; direction: number },
): boolean {
  if (rest.length < 6) return false;
  const onward = rest
    .slice(1)
    .filter((value, i) => direction * (value - (rest[i] ?? 0)) >= 0).length;
  const startsLow = Math.abs((rest[0] ?? 0) - from) < 0.4 * Math.abs(to - from);
  return onward / (rest.length - 1) > LASTING && startsLow;
}

function rampStart(
  values: readonly number[],
  index: number,
  { from, direction, margin }: { from: number; direction: number; margin: number },
): number {
  let start = index;
  while (start > 1 && direction * ((values[start - 1] ?? from) - from) > margin) start -= 1;
  return start;
}
