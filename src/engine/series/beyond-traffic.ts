import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Series } from '../../domain/telemetry/records.js';
import { median } from '../stats.js';
import { countsFailures, meaningOf, nameOfSeries } from './meaning-of-metric.js';
import { findOnset, type Onset } from './onset/onset.js';

type MovedSeries = Series & { onset: Onset };
/** How much there is to do; its onset, if it has one. */
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
/** A share stays as it is, however much there is. */
const SHARE = /ratio|percent|availab|success|rate_?limit/i;
/** Copies of a process or machine, of which fewer are kept the less is asked. */
const COPIES = /replicas?|pods|nodes|instances|tasks/i;
/** Points of series are a minute apart, and what follows traffic may be measured before it. */
const SLACK_MS = 5 * 60_000;
/** It may grow a little more than in proportion. */
const PROPORTION = 1.5;
/** Of its points, that many are compared with the traffic. */
const LEAST_SHARE = 0.8;

/** Levels of traffic are medians of so many points. */
const LEVEL_POINTS = 5;

/**
 * Of the series that moved, those that show a failure alone: not traffic, not what moved for
 * the better, and not what grew with the traffic, as a processor does each morning and failures do
 * that are a share of all requests, or moved with it and has a name that says nothing.
 *
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

/** Whether a series counts what is asked of a node. */
export const isTraffic = (series: Pick<Series, 'name' | 'labels'>): boolean =>
  meaningOf(nameOfSeries(series))?.kind === 'load' && !countsFailures(series);

/**
 * Whether a series moved no further than the traffic of its node; of all nodes, where that of its
 * own was not recorded.
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
 * Whether there are fewer copies of a node because fewer requests came before: where copies are
 * lost, requests fall with them, or later.
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
 * Whether the amount for each request stays in its usual band: where both climb for hours, either
 * may leave its band first.
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
 * How many times as much traffic there is as before a time, or before its own onset if that is
 * more.
 */
function growthSince(at: number, { times, values, onset }: Traffic): number {
  const before = values.filter((value, i) => (times[i] ?? NaN) < at && Number.isFinite(value));
  const from = median(before.slice(-LEVEL_POINTS));
  const to = median(values.filter(Number.isFinite).slice(-LEVEL_POINTS));
  return Math.max(from > 0 ? to / from : 1, onset ? growthOf(onset) : 1);
}
