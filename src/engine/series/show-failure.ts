import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Series } from '../../domain/telemetry/records.js';
import { median } from '../stats.js';
import { beyondTraffic } from './beyond-traffic.js';
import { ACCUMULATES } from './onset/first-kill.js';
import { meaningOf, nameOfSeries, plainName } from './meaning-of-metric.js';
import type { Onset } from './onset/onset.js';
import { isNearlyUsedUp } from './saturation.js';

type MovedSeries = Series & { onset: Onset };

/** A series with a deviation of this size is a failure even if no alert reports it. */
const FAR_OUT = 8;

/**
 * Whether series show a failure though no alert reports any: one has a large deviation, by more
 * than traffic and chance explain, and by its name it measures more than the amount of work.
 */
export const showFailure = (moved: readonly MovedSeries[], all: readonly Series[]): boolean =>
  beyondTraffic(moved, all).some(
    (each) =>
      isTelling(each) &&
      !isOnlyBusy(each) &&
      Math.min(each.onset.deviations, beyondChance(each)) > FAR_OUT,
  );

/** Series without a meaningful name may move in normal operation; they only support other signs. */
const isTelling = (series: MovedSeries): boolean => meaningOf(nameOfSeries(series)) !== undefined;

/** Resources: the use of a resource does not show a problem, as long as some is left. */
const RESOURCES: ReadonlySet<FailureKind> = new Set([
  'cpu-saturated',
  'connection-pool-exhausted',
  'memory',
  'capacity',
]);
/** A program that waits for a resource, or lacks it, shows that none is left. */
const RUNS_SHORT =
  /(?<!io_?)wait|pending|queue|block(ed|ing)|time_?d?_?out|refus|reject|exhaust|event_?loop|lag|delay|balance|credit/;
/**
 * Whether a series only shows more work than usual (the U of the USE method; Gregg, 2012): a batch,
 * a backup or a full cache uses resources, and all is well until something waits, fails or grows
 * without end.
 */
export function isOnlyBusy(series: MovedSeries): boolean {
  const { onset } = series;
  const name = nameOfSeries(series);
  const meaning = meaningOf(name);
  if (meaning === undefined || !RESOURCES.has(meaning.kind) || RUNS_SHORT.test(plainName(name)))
    return false;
  if (isNearlyUsedUp(series, onset.to, meaning.worse)) return false;
  return !(ACCUMULATES.has(meaning.kind) && growsOn(series));
}

/**
 * A line has half of its growth in the middle of the time since its onset; a series that levels off
 * has more.
 */
const HALFWAY = 0.75;
const LEVEL_POINTS = 5;

/**
 * Whether a series continues to grow, like leaking memory, and does not level off, like a full
 * cache.
 */
function growsOn({ values, times, onset }: MovedSeries): boolean {
  if (onset.ramp) return true;
  const since = values.filter(
    (value, i) => (times[i] ?? NaN) >= onset.at && Number.isFinite(value),
  );
  const half = Math.floor((since.length - LEVEL_POINTS) / 2);
  const middle = median(since.slice(Math.max(0, half), half + LEVEL_POINTS));
  return (middle - onset.from) / (onset.to - onset.from) < HALFWAY;
}

/**
 * By how many standard deviations the count since the onset differs from a Poisson process of the
 * usual rate.
 */
function beyondChance({ isRate, times, values, onset }: MovedSeries): number {
  if (isRate !== true) return Infinity;
  let expected = 0;
  let counted = 0;
  for (const [i, at] of times.entries()) {
    const seconds = (at - (times[i - 1] ?? NaN)) / 1_000;
    const value = values[i] ?? NaN;
    if (at < onset.at || !Number.isFinite(seconds * value)) continue;
    expected += onset.from * seconds;
    counted += value * seconds;
  }
  return Math.abs(counted - expected) / Math.sqrt(expected + 1);
}
