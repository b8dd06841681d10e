import type { FailureKind } from '../../diagnosis/failure-kind.js';
import type { Series } from '../records.js';
import { meaningOf, nameOfSeries } from './meaning-of-metric.js';
import { findOnset, type Onset } from './onset.js';

type MovedSeries = Series & { onset: Onset };

/** Metrics that grow in proportion to traffic. */
const FOLLOWS: ReadonlySet<FailureKind> = new Set([
  'cpu-saturated',
  'connection-pool-exhausted',
  'memory',
  'capacity',
  'exception',
  'timeout',
]);
/** A share stays as it is, however much there is. */
const SHARE = /ratio|percent|availab|success|rate_?limit/i;
/** Points of series are a minute apart, and what follows traffic may be measured before it. */
const SLACK_MS = 5 * 60_000;
/** It may grow a little more than in proportion. */
const PROPORTION = 1.5;
/** Of its points, that many are compared with the traffic. */
const LEAST_SHARE = 0.8;

/**
 * Of the series that moved, those that show trouble by themselves: not traffic, not what moved for the better, and not what grew
 * with the traffic, as a processor does each morning.
 */
export function beyondTraffic(moved: readonly MovedSeries[]): MovedSeries[] {
  const meant = moved.map((series) => ({ series, meaning: meaningOf(nameOfSeries(series)) }));
  const traffic = meant.flatMap(({ series, meaning }) =>
    meaning?.kind === 'load' && series.onset.direction > 0 ? [series] : [],
  );
  return meant.flatMap(({ series, meaning }) => {
    if (meaning === undefined) return [series];
    const isBad = meaning.kind !== 'load' && meaning.worse === series.onset.direction;
    const follows = FOLLOWS.has(meaning.kind) && !SHARE.test(series.name);
    return isBad && !(follows && isExplained(series, traffic)) ? [series] : [];
  });
}

function isExplained(series: MovedSeries, traffic: readonly MovedSeries[]): boolean {
  const { node, onset } = series;
  const own = traffic.filter((each) => each.node === node);
  return (own.length > 0 ? own : traffic).some(
    (each) =>
      growthOf(onset) <= PROPORTION * growthOf(each.onset) &&
      (each.onset.at <= onset.at + SLACK_MS || isAsUsualFor(series, each)),
  );
}

/** Whether the amount for each request stays in its usual band: where both climb for hours, either may leave its band first. */
function isAsUsualFor({ times, values }: MovedSeries, traffic: MovedSeries): boolean {
  const requests = new Map(traffic.times.map((time, i) => [time, traffic.values[i] ?? NaN]));
  const each = values.map((value, i) => value / (requests.get(times[i] ?? NaN) ?? NaN));
  const isCompared = each.filter(Number.isFinite).length >= LEAST_SHARE * each.length;
  return values.length > 0 && isCompared && findOnset({ times, values: each })?.direction !== 1;
}

const growthOf = ({ from, to }: Onset): number => (from > 0 ? to / from : Infinity);
