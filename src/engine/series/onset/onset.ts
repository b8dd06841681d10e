import type { Series, TimeWindow } from '../../../domain/telemetry/records.js';
import { bandOf, sideOf, type Band } from './band.js';
import { mayDrift, stepBeyondDrift, type DriftStep } from './drift.js';
import { beginsAndLasts } from './lasts.js';
import { finitePoints } from '../finite-points.js';
import { isOfRhythm } from './rhythm.js';
import { seasonOf } from './season.js';
import { median } from '../../stats.js';

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
  /** It grew or shrank steadily, rather than in a step. */
  ramp: boolean;
}

type Points = Pick<Series, 'times' | 'values'>;

const LEAST_POINTS = 8;
/** The value at the end: the median of this many points. */
const LAST_POINTS = 5;
/** Usual values: the first 30 % of the points, 5 to 30 of them. */
const USUAL_SHARE = 0.3;
const USUAL_LEAST = 5;
const USUAL_MOST = 30;
/** A ramp continues in this share of its steps. */
const ONWARD = 0.7;

/**
 * The onset of a lasting change in a series; undefined if there is none, or with fewer than eight
 * points. The first points, or those of a normal time, show what is usual; for a series with a
 * daily rhythm, those of the same time on the days before, so that an ordinary evening is no
 * change. If hours were recorded and less than a day, only a step that the series does not usually
 * make is a change, and a steady ramp of something that accumulates: the rest may be the daily
 * rhythm. A series that steps for a while and returns is no change, and neither is one that recurs
 * at regular times. A ramp is traced back to where it left the middle: a leak starts long before it
 * leaves the band.
 * @param until points later than this begin no change
 * @param normal a time known to be normal, before or after the others: its points show what is
 *   usual, and none of them is a change
 * @param accumulates it measures something that is held or waits, like memory and backlogs
 */
export function findOnset(
  series: Points,
  until = Infinity,
  usual: { normal?: TimeWindow; accumulates?: boolean } = {},
): Onset | undefined {
  const points = finitePoints(series);
  const change = changeIn(points, until, usual);
  return change && isOfRhythm(points, change) ? undefined : change;
}

function changeIn(
  points: Points,
  until: number,
  { normal, accumulates = false }: { normal?: TimeWindow; accumulates?: boolean },
): Onset | undefined {
  const change = lastingChange(points, until, normal);
  const isDrift = change === undefined || !(change.ramp && accumulates);
  const knowsUsual = normal && compared(points, normal).bands.length < points.times.length;
  if (!isDrift || knowsUsual || !mayDrift(points)) return change;
  const step = stepBeyondDrift(points, until);
  return step && onsetAtStep(points, step);
}

function onsetAtStep(
  { times, values }: Points,
  { index, from, spread, limit: band, direction }: DriftStep,
): Onset {
  const to = median(values.slice(Math.max(index, values.length - LAST_POINTS)));
  const deviations = Math.abs(to - from) / spread;
  return {
    at: times[index] ?? NaN,
    from,
    to,
    deviations,
    band,
    direction,
    ramp: false,
  };
}

function lastingChange(
  points: Points,
  until: number,
  normal: TimeWindow | undefined,
): Onset | undefined {
  const { times, values, bands } = compared(points, normal);
  const count = times.length;
  const offs = values.map((value, i) => value - (bands[i]?.from ?? NaN));
  const sides = values.map((value, i) => sideOf(value, bands[i] as Band));

  for (let i = 0; i < count; i++) {
    const direction = sides[i];
    if ((direction !== 1 && direction !== -1) || (times[i] ?? Infinity) > until) continue;
    const rest = sides.slice(i).map((side) => side === direction);
    const { limit = NaN } = bands[i] ?? {};
    // A single last point must be far out: nothing confirms it.
    if (rest.length < 2 && Math.abs(offs[i] ?? NaN) < 4 * limit) continue;
    if (!beginsAndLasts(rest)) continue;
    const { from, spread, limit: band } = bands.at(-1) as Band;
    const off = median(offs.slice(Math.max(i, count - LAST_POINTS)));
    const ramp = isRamp(offs.slice(i), off, direction);
    const start = ramp ? rampStart(offs, i, direction, 2 * spread) : i;
    const deviations = Math.abs(off) / spread;
    return {
      at: times[start] ?? NaN,
      from,
      to: from + off,
      deviations,
      band,
      direction,
      ramp,
    };
  }
  return undefined;
}

/** The points among which a change may begin, each with its band; none if there are too few. */
function compared(points: Points, normal: TimeWindow | undefined): Points & { bands: Band[] } {
  const { times, values } = points;
  const withBands = (bandAt: (index: number) => Band | undefined) => {
    const bands = times.map((_, i) => bandAt(i));
    const hasBand = (_: unknown, i: number) => bands[i] !== undefined;
    return {
      times: times.filter(hasBand),
      values: values.filter(hasBand),
      bands: bands.filter((band) => band !== undefined),
    };
  };
  if (times.length < LEAST_POINTS) return withBands(() => undefined);
  const isNormal = (at = NaN) => normal !== undefined && at >= normal.from && at <= normal.to;
  const known = values.filter((_, i) => isNormal(times[i]));
  if (known.length >= USUAL_LEAST) {
    const band = bandOf(known);
    return withBands((i) => (isNormal(times[i]) ? undefined : band));
  }
  const first = firstPoints(times.length);
  const band = bandOf(values.slice(0, first));
  const season = seasonOf(points, band, firstPoints);
  return withBands((i) => (season ? season[i] : i < first ? undefined : band));
}

/** The number of first points, before any change, for a total number of points. */
const firstPoints = (count: number): number =>
  Math.max(USUAL_LEAST, Math.min(Math.floor(count * USUAL_SHARE), USUAL_MOST));

function isRamp(offs: readonly number[], last: number, direction: number): boolean {
  if (offs.length < 6) return false;
  const onward = offs
    .slice(1)
    .filter((value, i) => direction * (value - (offs[i] ?? 0)) >= 0).length;
  const startsLow = Math.abs(offs[0] ?? 0) < 0.4 * Math.abs(last);
  return onward / (offs.length - 1) > ONWARD && startsLow;
}

function rampStart(
  offs: readonly number[],
  index: number,
  direction: number,
  margin: number,
): number {
  let start = index;
  while (start > 0 && direction * (offs[start - 1] ?? 0) > margin) start -= 1;
  return start;
}
