import type { FailureKind } from '../../../domain/diagnosis/failure-kind.js';
import type { Series, TimeWindow } from '../../../domain/telemetry/records.js';
import { findOnset, type Onset } from './onset.js';
import { finitePoints } from '../finite-points.js';
import { meaningOf, nameOfSeries } from '../meaning-of-metric.js';

/**
 * Quantities that are held or wait grow steadily if more arrives than leaves; an unsynchronised
 * clock drifts further.
 */
export const ACCUMULATES: ReadonlySet<FailureKind> = new Set([
  'memory',
  'memory-leak',
  'disk-full',
  'queue-lag',
  'connection-pool-exhausted',
  'capacity',
  'infrastructure',
]);
/** A constant series has none: the minimum that findOnset divides by. */
const NO_SPREAD = 1e-9;

/** A process that ended once is restarted, and all is well. */
const LEAST_RESTARTS = 2;

/**
 * The onset of a series. For a series that counts or flags kills because memory is exhausted
 * (`container_oom_events_total`,
 * `kube_pod_container_status_last_terminated_reason{reason="OOMKilled"}`), the first kill after a
 * time without: a container that restarts fills its memory for minutes, so that most points are
 * zero. The same for a series that counts restarts, if there are two or more.
 * @param quietUntil all is well before
 */
export function onsetOf(
  series: Series,
  now: number,
  normal: TimeWindow | undefined,
  quietUntil: number,
): Onset | undefined {
  const kind = meaningOf(nameOfSeries(series))?.kind;
  const accumulates = kind !== undefined && ACCUMULATES.has(kind);
  const onset = findOnset(series, now, { accumulates, ...(normal && { normal }) });
  if (onset || (kind !== 'out-of-memory' && !isCrashLoop(series))) return onset;
  const { times, values } = finitePoints(series);
  const first = values.findIndex((value) => value > 0);
  const at = times[first];
  if (at === undefined || at <= quietUntil || at > now) return undefined;
  const to = Math.max(...values.slice(first));
  return { at, from: 0, to, deviations: to / NO_SPREAD, band: 0, direction: 1, ramp: false };
}

/** Whether a series is the rate of a counter of restarts, and there were some. */
function isCrashLoop(series: Series): boolean {
  if (series.isRate !== true || meaningOf(nameOfSeries(series))?.kind !== 'crash-loop')
    return false;
  const { times, values } = finitePoints(series);
  const counted = values.slice(1).map((value, i) => {
    const [before = NaN, at = NaN] = [times[i], times[i + 1]];
    return (value * (at - before)) / 1_000;
  });
  return Math.round(counted.reduce((sum, count) => sum + count, 0)) >= LEAST_RESTARTS;
}
