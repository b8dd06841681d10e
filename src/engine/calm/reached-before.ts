import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { IncidentFrame, Series } from '../../domain/telemetry/records.js';
import { finitePoints } from '../series/finite-points.js';
import { meaningOf, nameOfSeries } from '../series/meaning-of-metric.js';
import { median, quantile, showNumber } from '../stats.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';
import { areComplaintsOver, isQuietAround } from './users-signals.js';

/** Quantities that rise and fall in normal operation; errors that recur are errors. */
const AMOUNTS: ReadonlySet<FailureKind> = new Set([
  'cpu-saturated',
  'memory',
  'disk-full',
  'connection-pool-exhausted',
  'capacity',
  'queue-lag',
  'load',
]);
/** A single earlier spell may have been the beginning of the failure. */
const LEAST_TIMES = 2;
/** Tolerance for the height and duration compared with earlier spells. */
const TOLERANCE = 0.05;
/** A spell begins above the upper mark, and has ended below the lower one. */
const [UPPER, LOWER] = [0.75, 0.25];
const LAST_POINTS = 5;
const LOW = 0.1;
/** A series that differs by less does not fill and empty. */
const LEAST_SWING = 1.2;

/**
 * A quantity that fills and empties repeatedly is used as usual if it is no fuller, and for no
 * longer, than at least twice before: a job of each hour, a disk that is cleared each week.
 */
export function hasReachedBefore(given: AlertCase): string | undefined {
  const { named, node, frame, unusual } = given;
  if (!named.every((each) => goesOn(each, frame))) return undefined;
  const reached = named.map((each) => ({ ...each, count: timesReached(each, frame) }));
  const first = reached.find(({ count }) => count >= LEAST_TIMES);
  const hasMoved = ({ values }: Series) => unusual.moved.some((each) => each.values === values);
  const isUsual = reached.every((each) => each.count >= LEAST_TIMES || !hasMoved(each));
  if (first === undefined || !isUsual) return undefined;
  if (!areComplaintsOver(given) || !isQuietAround(given)) return undefined;
  const level = showNumber(median(finitePoints(first).values.slice(-LAST_POINTS)));
  return `${first.name} of ${node} was as high as ${level} ${first.count} times before, and fell again each time`;
}

interface Spell {
  from: number;
  until: number;
  most: number;
}

/** The number of earlier spells of a series that were as high and as long as the current one. */
function timesReached(series: Series, { now }: IncidentFrame): number {
  const meaning = meaningOf(nameOfSeries(series));
  if (meaning === undefined || meaning.worse !== 1 || !AMOUNTS.has(meaning.kind)) return 0;
  const { times, values } = finitePoints(series);
  const until = times.filter((at) => at <= now).length;
  const level = median(values.slice(Math.max(0, until - LAST_POINTS), until));
  const low = quantile(values.slice(0, until), LOW);
  if (level < LEAST_SWING * low) return 0;
  const spells = spellsOf(
    { times: times.slice(0, until), values: values.slice(0, until) },
    low,
    level,
  );
  const last = spells.at(-1);
  if (last === undefined || last.until !== times[until - 1]) return 0;
  const usual = spells.slice(0, -1).filter(({ most }) => most >= (1 - TOLERANCE) * last.most);
  const isNoLonger = usual.some(
    (each) => last.until - last.from <= (1 + TOLERANCE) * (each.until - each.from),
  );
  return isNoLonger ? usual.length : 0;
}

/** The times above the upper mark between `low` and `high`, each until the lower one or the end. */
function spellsOf(
  { times, values }: Pick<Series, 'times' | 'values'>,
  low: number,
  high: number,
): Spell[] {
  const [upper, lower] = [UPPER, LOWER].map((share) => low + share * (high - low));
  const spells: Spell[] = [];
  let open: Spell | undefined;
  values.forEach((value, i) => {
    const at = times[i] ?? NaN;
    if (open === undefined && value > (upper ?? NaN)) {
      open = { from: at, until: at, most: value };
      spells.push(open);
    }
    if (open === undefined) return;
    if (value < (lower ?? NaN)) open = undefined;
    else Object.assign(open, { until: at, most: Math.max(open.most, value) });
  });
  return spells;
}
