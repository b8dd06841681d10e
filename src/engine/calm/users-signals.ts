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

/** Whether a line of the cluster, or of a recorded answer, is expected in any case. */
type IsExpected = (line: string) => boolean;

/** Errors and durations (the RED method; Wilkie, 2015): what users notice. */
const NOTICED: ReadonlySet<FailureKind> = new Set(['latency', 'exception', 'timeout']);
const LEAST_POINTS = 10;

const isNoticed = (series: Pick<Series, 'name' | 'labels'>): boolean => {
  const kind = meaningOf(nameOfSeries(series))?.kind;
  return kind !== undefined && NOTICED.has(kind);
};

/** The case without some of the series that moved: those are judged separately. */
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
 * resource with higher use and free capacity, and whether neither the cluster nor a recorded answer
 * of another tool names a fault.
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

/** A change of the leader among several is irrelevant to users. */
const ROLE = /(^|_)(primary|leader|master|role)(_|$)/;

/** A line that names a fault, and not only that something waits. */
const DECISIVE = 7;

/** A failure must have been over for this time, because it may return. */
export const CALM_MS = 5 * 60_000;

/**
 * Whether the errors and warnings that the failure caused have ended, longer ago than they lasted.
 * A rare warning may be new by chance.
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

/** Whether there are fewer requests than before: users who gave up see no errors. */
export const hasLostTraffic = ({ unusual }: AlertCase): boolean =>
  unusual.moved.some(
    (each) => !unusual.isFar(each.node) && isTraffic(each) && each.onset.direction === -1,
  );
