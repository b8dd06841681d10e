import type { Change, Series } from '../../domain/telemetry/records.js';
import { plainName } from '../series/meaning-of-metric.js';
import type { Onset } from '../series/onset/onset.js';
import type { Mechanism } from './mechanisms/mechanism.js';
import { readDiff } from './read-diff.js';
import { changedSettings } from './mechanisms/settings.js';

type MovedSeries = Series & { onset: Onset };
type Numbers = NonNullable<Mechanism['numbers']>;

/** Metrics in which exporters publish configuration, rather than measurements. */
const SETTING =
  /max|limit|replicas|size|capacity|concurren|quota|allowed|desired|settings?|config|ttl|timeout|instances|shards|partitions|workers|threads/;
/** Factors between units: milliseconds, minutes, megabytes. */
const SCALES = [1, 1e3, 1e-3, 60, 1 / 1_048_576];
const NEAR = 0.02;

const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= NEAR * Math.max(Math.abs(a), Math.abs(b), 1e-9);

/** Whether a series moved from the old to the new value of a setting, in whatever unit. */
export const hasNumbers = ({ onset }: MovedSeries, { from, to }: Numbers): boolean =>
  SCALES.some((scale) => isNear(onset.from, from * scale) && isNear(onset.to, to * scale));

/** A configured value stays constant; instances are replaced one after the other. */
const CONSTANT = 0.8;

function isConstant({ times, values, onset }: MovedSeries): boolean {
  const share = (level: number, isPart: (at: number) => boolean) => {
    const part = values.filter((value, i) => Number.isFinite(value) && isPart(times[i] ?? NaN));
    return part.filter((value) => value === level).length / part.length;
  };
  return (
    share(onset.from, (at) => at < onset.at) >= CONSTANT &&
    share(onset.to, (at) => at >= onset.at) >= CONSTANT
  );
}

/**
 * The series among those that moved that show the value of a setting that a recorded change has
 * set. Such a series proves that the change is live; it is not a sign of failure.
 */
export function seriesOfSettings<Each extends MovedSeries>(
  changes: readonly Change[],
  moved: readonly Each[],
): Each[] {
  const steps = moved.filter((each) => SETTING.test(plainName(each.name)) && isConstant(each));
  if (steps.length === 0) return [];
  const numbers = changes
    .filter(({ diff }) => diff !== undefined)
    .flatMap((change) => changedSettings(readDiff(change)).flatMap((each) => each.numbers ?? []));
  return steps.filter((each) => numbers.some((set) => hasNumbers(each, set)));
}

/** Words in names of metrics for the used part of a limit. */
const USE =
  /(^|_)(active|in_?use|used|usage|current|busy|working_?set|count|borrowed|acquired)(_|$)/;
const firstWord = (name: string): string => plainName(name).split('_')[0] ?? '';

/** The maximum use of a limit since it was set, as a share of it, if that is measured. */
export function useOfLimit(limit: MovedSeries, all: readonly Series[]): number | undefined {
  const uses = all.filter(
    ({ node, name }) =>
      node === limit.node &&
      name !== limit.name &&
      firstWord(name) === firstWord(limit.name) &&
      USE.test(plainName(name)),
  );
  const most = uses.map(({ times, values }) =>
    Math.max(
      ...values.filter((value, i) => Number.isFinite(value) && (times[i] ?? NaN) >= limit.onset.at),
    ),
  );
  const { to } = limit.onset;
  return most.length === 0 || to <= 0 ? undefined : Math.max(...most) / to;
}
