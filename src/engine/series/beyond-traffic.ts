import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Series } from '../../domain/telemetry/records.js';
import { median } from '../stats.js';
import { countsFailures, meaningOf, nameOfSeries } from './meaning-of-metric.js';
import { findOnset, type Onset } from './onset/onset.js';

type MovedSeries = Series & { onset: Onset };
/** The amount of work; its onset, if it has one. */
type Traffic = Series & { onset?: Onset };

/** Metrics that grow in proportion to traffic. */
const FOLLOWS: ReadonlySet<FailureKind> = new Set([
  'cpu-saturated',
  'connection-pool-exhausted',
  'memory',
  'capacity',
  'exception',
  'timeout',
]);
/** A ratio stays constant, however much work there is. */
const SHARE = /ratio|percent|availab|success|rate_?limit/i;
/** Copies of a process or machine, of which fewer are kept if there is less traffic. */
const COPIES = /replicas?|pods|nodes|instances|tasks/i;
/**
 * Points of series are a minute apart, and a series that follows traffic may be measured before it.
 */
const SLACK_MS = 5 * 60_000;
/** The tolerated growth beyond proportion. */
const PROPORTION = 1.5;
/** Number of its points that are compared with the traffic. */
const LEAST_SHARE = 0.8;

/** Levels of traffic are medians of this many points. */
const LEVEL_POINTS = 5;

/**
 * The series among those that moved that show a failure: not traffic, not improvements, and not
 * series that grew with the traffic, like a processor each morning and failures that are a constant
 * share of all requests, or that moved with it and have a name without a meaning.
 * @param all series: traffic with a daily rhythm grows without an onset
 */
export function beyondTraffic(
  moved: readonly MovedSeries[],
  all: readonly Series[] = moved,
): MovedSeries[] {
  const onsets = new Map(moved.map((each) => [identityOf(each), each.onset]));
  const traffic = all.flatMap((each): Traffic[] => {
    const onset = onsets.get(identityOf(each));
    return isTraffic(each) ? [{ ...each, ...(onset && { onset }) }] : [];
  });
  return moved.flatMap((series) => {
    const meaning = meaningOf(nameOfSeries(series));
    if (meaning === undefined) return followsTraffic(series, traffic) ? [] : [series];
    const isBad = meaning.kind !== 'load' && meaning.worse === series.onset.direction;
    const follows = FOLLOWS.has(meaning.kind) && !SHARE.test(series.name);
    const isUsual =
      (follows && followsTraffic(series, traffic)) ||
      (meaning.kind === 'unreachable' && isScaledIn(series, traffic));
    return isBad && !isUsual ? [series] : [];
  });
}

/** Series that were copied to be given an onset share their values. */
const identityOf = ({ values }: Series): readonly number[] => values;

/** Whether a series counts the requests to a node. */
export const isTraffic = (series: Pick<Series, 'name' | 'labels'>): boolean =>
  meaningOf(nameOfSeries(series))?.kind === 'load' && !countsFailures(series);

/**
 * Whether a series moved no further than the traffic of its node; of all nodes, if that of its own
 * was not recorded.
 */
function followsTraffic(series: MovedSeries, traffic: readonly Traffic[]): boolean {
  const { node, onset } = series;
  const own = traffic.filter((each) => each.node === node);
  return (own.length > 0 ? own : traffic).some((each) =>
    onset.direction === 1
      ? each.onset?.direction !== -1 &&
        growthOf(onset) <= PROPORTION * growthSince(onset.at, each) &&
        ((each.onset?.at ?? Infinity) <= onset.at + SLACK_MS || isAsUsualFor(series, each))
      : each.onset?.direction === -1 &&
        PROPORTION * growthOf(onset) >= growthOf(each.onset) &&
        each.onset.at <= onset.at + SLACK_MS,
  );
}

/**
 * Whether there are fewer copies of a node because fewer requests came before: if copies are lost,
 * requests fall with them, or later.
 */
const isScaledIn = (series: MovedSeries, traffic: readonly Traffic[]): boolean =>
  COPIES.test(series.name) &&
  traffic.some(
    ({ node, onset }) =>
      node === series.node &&
      onset?.direction === -1 &&
      onset.at < series.onset.at &&
      PROPORTION * growthOf(series.onset) >= growthOf(onset),
  );

/**
 * Whether the amount for each request stays in its usual band: if both grow for hours, either may
 * leave its band first.
 */
function isAsUsualFor({ times, values }: MovedSeries, traffic: Series): boolean {
  const requests = new Map(traffic.times.map((time, i) => [time, traffic.values[i] ?? NaN]));
  const each = values.map((value, i) => value / (requests.get(times[i] ?? NaN) ?? NaN));
  const isCompared = each.filter(Number.isFinite).length >= LEAST_SHARE * each.length;
  return values.length > 0 && isCompared && findOnset({ times, values: each })?.direction !== 1;
}

const growthOf = ({ from, to }: Pick<Onset, 'from' | 'to'>): number =>
  from > 0 ? to / from : Infinity;

/**
 * The growth factor of traffic since before a time, or since before its own onset if that is more.
 */
function growthSince(at: number, { times, values, onset }: Traffic): number {
  const before = values.filter((value, i) => (times[i] ?? NaN) < at && Number.isFinite(value));
  const from = median(before.slice(-LEVEL_POINTS));
  const to = median(values.filter(Number.isFinite).slice(-LEVEL_POINTS));
  return Math.max(from > 0 ? to / from : 1, onset ? growthOf(onset) : 1);
}
