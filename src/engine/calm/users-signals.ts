import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { clusterLines } from '../kubernetes/cluster-lines.js';
import { tellingLines } from '../kubernetes/telling-lines.js';
import { isHealed, mayBeChance } from '../logs/log-templates.js';
import { beyondTraffic, isTraffic } from '../series/beyond-traffic.js';
import { meaningOf, nameOfSeries, plainName } from '../series/meaning-of-metric.js';
import { isOnlyBusy } from '../series/show-failure.js';
import { quietUntilOf, type Series } from '../../domain/telemetry/records.js';
import type { MovedSeries } from '../observations.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';

/** Whether a line of the cluster, or of a recorded answer, says what is expected anyway. */
type IsExpected = (line: string) => boolean;

/** Errors and durations (the RED method; Wilkie, 2015): what those notice who ask. */
const NOTICED: ReadonlySet<FailureKind> = new Set(['latency', 'exception', 'timeout']);
const LEAST_POINTS = 10;

const isNoticed = (series: Pick<Series, 'name' | 'labels'>): boolean => {
  const kind = meaningOf(nameOfSeries(series))?.kind;
  return kind !== undefined && NOTICED.has(kind);
};

/** The case as it is without some of the series that moved: those that are judged apart. */
export const withoutMoved = (
  { unusual, ...given }: AlertCase,
  isLeftOut: (series: MovedSeries) => boolean,
): AlertCase => ({
  ...given,
  unusual: { ...unusual, moved: unusual.moved.filter((each) => !isLeftOut(each)) },
});

/**
 * Whether requests are answered as before: errors or durations were measured until the end, and
 * nothing that is connected with the alert is worse than the traffic explains.
 */
export function servesAsBefore(given: AlertCase, isExpected?: IsExpected): boolean {
  const { seen, frame, unusual } = given;
  const isMeasured = seen.series.some(
    (each) =>
      !unusual.isFar(each.node) &&
      isNoticed(each) &&
      each.times.length >= LEAST_POINTS &&
      goesOn(each, frame),
  );
  return isMeasured && isQuietAround(given, isExpected);
}

/**
 * Whether nothing that is connected with an alert is worse than the traffic explains, apart from a
 * resource that is used more and has room, and whether neither the cluster nor a recorded answer of
 * another tool says what is wrong.
 */
export function isQuietAround(
  { seen, frame, unusual }: AlertCase,
  isExpected: IsExpected = () => false,
): boolean {
  const isWorse = beyondTraffic(unusual.moved, seen.series).some(
    (each) => !unusual.isFar(each.node) && !isOnlyBusy(each) && !ROLE.test(plainName(each.name)),
  );
  const said = [...clusterLines(seen, quietUntilOf(frame)), ...tellingLines(seen.recordings, '')];
  return !isWorse && said.every(({ weight, line }) => weight < DECISIVE || isExpected(line));
}

/** Which of several leads: that it changes is of no concern to those who ask. */
const ROLE = /(^|_)(primary|leader|master|role)(_|$)/;

/** A line that says what is wrong, and not only that something waits. */
const DECISIVE = 7;

/** What is over has been so for a while, or it may come back. */
export const CALM_MS = 5 * 60_000;

/**
 * Whether the errors and warnings that the failure brought have ended, longer ago than they lasted.
 * A warning that is seldom may be new by chance.
 */
export function areComplaintsOver({ frame, unusual }: AlertCase): boolean {
  const near = unusual.complaints.filter(
    (each) =>
      !unusual.isFar(each.node) && !isHealed(each) && (each.error || !mayBeChance(each, frame)),
  );
  const from = Math.min(...near.map(({ first }) => first));
  const until = Math.max(...near.map(({ last }) => last));
  return near.length === 0 || frame.now - until > Math.max(CALM_MS, until - from);
}

/** Whether fewer requests come than before: those who gave up see no errors. */
export const hasLostTraffic = ({ unusual }: AlertCase): boolean =>
  unusual.moved.some(
    (each) => !unusual.isFar(each.node) && isTraffic(each) && each.onset.direction === -1,
  );
