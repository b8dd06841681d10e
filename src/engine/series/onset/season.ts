import type { Series } from '../../../domain/telemetry/records.js';
import { median, quantile } from '../../stats.js';
import { bandOf, sideOf, type Band } from './band.js';
import { finitePoints } from '../finite-points.js';

type Points = Pick<Series, 'times' | 'values'>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Points of the same half hour share a band: that of the hour around it on the days before. */
const SLOT = 30 * MINUTE;
const AROUND = 15 * MINUTE;
const LEAST_POINTS = 5;
/**
 * From this share of a day outside of the band on, its first hours do not show what is usual all
 * day.
 */
const LEAVES = 0.05;
/** Two days differ by more than two minutes do: the minimum spread, as a share of the value. */
const LEAST_SPREAD = 0.1;
/**
 * A series follows the day before if this share of the first points that can be compared lies in
 * its band.
 */
const FOLLOWS = 0.7;

/**
 * The usual values of a series with a daily rhythm at the times of its points, by the days before
 * (the seasonal naive forecast of Hyndman and Athanasopoulos, Forecasting, 5.2): a band for each
 * point whose time of day was recorded before.
 * @param constant the band of its first points
 * @param confirming number of comparable points that decide whether it follows the day before
 * @returns undefined for a series of less than a day, for one that stays in the band of its first
 *   points for a day, and for one that differs from the day before as soon as it can be compared,
 *   like a series that grows from day to day
 */
export function seasonOf(
  points: Points,
  constant: Band,
  confirming: (count: number) => number,
): (Band | undefined)[] | undefined {
  const { times, values } = points;
  const dayAfter = (times[0] ?? NaN) + DAY;
  const first = times.findIndex((at) => at >= dayAfter);
  if (first === -1) return undefined;
  const outside = values.slice(0, first).filter((value) => sideOf(value, constant) !== 0);
  if (outside.length < LEAVES * first) return undefined;
  const bands = bandsOf(points);
  const sides = bands.flatMap((band, i) => (band ? [sideOf(values[i] ?? NaN, band)] : []));
  const early = sides.slice(0, confirming(sides.length));
  const inside = early.filter((side) => side === 0);
  return early.length > 0 && inside.length >= FOLLOWS * early.length ? bands : undefined;
}

/** Number of points that show where a series is now. */
const LAST_POINTS = 5;
/** From this quantile on, a value is high for a series. */
const HIGH = 0.75;

/**
 * Whether the current value of a series is usual for this time of day, and is high for it: nightly
 * jobs, the rush of the evening.
 */
export function isAtDailyHeight(series: Points): boolean {
  const points = finitePoints(series);
  const { values } = points;
  const last = values.slice(-LAST_POINTS);
  const bands = bandsOf(points).slice(-LAST_POINTS);
  return (
    last.length === LAST_POINTS &&
    last.every((value, i) => bands[i] !== undefined && sideOf(value, bands[i]) === 0) &&
    median(last) > quantile(values, HIGH)
  );
}

function bandsOf({ times, values }: Points): (Band | undefined)[] {
  const bySlot = new Map<number, Band | undefined>();
  const bandBefore = (slot: number): Band | undefined => {
    const end = (slot + 1) * SLOT + AROUND;
    const usual = values.filter((_, i) => {
      const ago = end - (times[i] ?? NaN);
      return ago >= DAY && ago % DAY <= SLOT + 2 * AROUND;
    });
    return usual.length < LEAST_POINTS ? undefined : bandOf(usual, LEAST_SPREAD);
  };
  return times.map((at) => {
    const slot = Math.floor(at / SLOT);
    if (!bySlot.has(slot)) bySlot.set(slot, bandBefore(slot));
    return bySlot.get(slot);
  });
}
