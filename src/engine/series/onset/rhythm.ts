import type { Series } from '../../../domain/telemetry/records.js';
import { finitePoints, stepOf } from '../finite-points.js';
import { median } from '../../stats.js';

type Points = Pick<Series, 'times' | 'values'>;

/** A time in which a series is more than half as far out as it ever was. */
interface Peak {
  from: number;
  until: number;
  /** How far out it was at most. */
  height: number;
}

/** The last peak, and this many before it, show a rhythm. */
const LEAST_PEAKS = 4;
/** Jobs start by the clock: distances differ by this share at most, or by one point. */
const LATE = 0.15;
/** A rhythm is measured if this many points lie between two peaks. */
const LEAST_BETWEEN = 5;
/** The last peak is as high and as long as those before it, up to these shares. */
const HIGHER = 1.25;
const LONGER = 1.5;
/** Noise may interrupt a peak for this many points. */
const BREAK = 2;

/**
 * The last peak of a series that peaks at regular times from its beginning until its end, like an
 * hourly batch, if that peak is no higher and no longer than those before it. A recurring failure,
 * such as a process that is killed repeatedly, has no peaks in the time before.
 * @param direction 1 for times in which it is high, -1 for those in which it is low
 */
export function lastOfRhythm(series: Points, direction: 1 | -1 = 1): Peak | undefined {
  const { times, values } = finitePoints(series);
  const [start = NaN, end = NaN] = [times[0], times.at(-1)];
  const step = stepOf(times);
  const peaks = peaksOf({ times, values }, direction, BREAK * step);
  const [last, ...before] = peaks.toReversed();
  if (last === undefined || peaks.length < LEAST_PEAKS) return undefined;
  const distances = peaks.slice(1).map(({ from }, i) => from - (peaks[i]?.from ?? NaN));
  const usual = median(distances);
  const late = Math.max(LATE * usual, step);
  const isRegular =
    usual >= LEAST_BETWEEN * step &&
    distances.every((distance) => Math.abs(distance - usual) <= late) &&
    (peaks[0]?.from ?? NaN) - start <= usual + late &&
    end - last.from <= usual + late;
  const lengthOf = ({ from, until }: Peak) => until - from;
  const isAsBefore =
    last.height <= HIGHER * median(before.map(({ height }) => height)) &&
    lengthOf(last) <= LONGER * Math.max(...before.map(lengthOf)) + step;
  return isRegular && isAsBefore ? last : undefined;
}

/** @param gap peaks with no more time between them are one */
function peaksOf({ times, values }: Points, direction: 1 | -1, gap: number): Peak[] {
  const usual = median(values);
  const offs = values.map((value) => direction * (value - usual));
  const high = offs.reduce((most, off) => Math.max(most, off), 0) / 2;
  const peaks: Peak[] = [];
  for (const [i, at] of times.entries()) {
    const off = offs[i] ?? 0;
    if (off <= high) continue;
    const last = peaks.at(-1);
    if (last && at - last.until <= gap) {
      last.until = at;
      last.height = Math.max(last.height, off);
    } else peaks.push({ from: at, until: at, height: off });
  }
  return peaks;
}

/**
 * Whether a change begins with the last peak of a rhythm.
 *
 * @param change its direction, and when it began
 */
export function isOfRhythm(
  series: Points,
  { at, direction }: { at: number; direction: 1 | -1 },
): boolean {
  const peak = lastOfRhythm(series, direction);
  return peak !== undefined && at >= peak.from - BREAK * stepOf(series.times) && at <= peak.until;
}
