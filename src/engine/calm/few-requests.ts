import { meaningOf, nameOfSeries, plainName } from '../series/meaning-of-metric.js';
import { finitePoints, stepOf } from '../series/finite-points.js';
import { isTraffic } from '../series/beyond-traffic.js';
import { isShare } from '../series/saturation.js';
import { quietUntilOf, type Series } from '../../domain/telemetry/records.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';
import { areComplaintsOver, isQuietAround, withoutMoved } from './users-signals.js';

const RATIO = /ratio|percent|pct|share|rate$/;
/** Standard deviations of a count, as chance makes it vary, from which it is not chance. */
const BEYOND_CHANCE = 3;
/** A few failures in this time are negligible, whatever share of the requests they are. */
const MOST_FAILED = 3;
const LEAD_MS = 15 * 60_000;

/**
 * A share of failed requests is not meaningful if there are few requests: of three, one that fails
 * is a third (Beyer et al., The Site Reliability Workbook, 2018, chapter 5, low-traffic services).
 * As many failures as chance makes of the usual ones are no failure.
 */
export function isOfFewRequests(given: AlertCase): string | undefined {
  const { named, node, frame, seen, alert } = given;
  const [ratio] = named.filter(
    (each) =>
      meaningOf(nameOfSeries(each))?.kind === 'exception' && RATIO.test(plainName(each.name)),
  );
  if (ratio === undefined || !goesOn(ratio, frame)) return undefined;
  const traffic = seen.series.find(
    (each) => each.node === node && isTraffic(each) && perInterval(each) !== undefined,
  );
  if (traffic === undefined) return undefined;
  const { times, values } = finitePoints(ratio);
  const requests = new Map(traffic.times.map((at, i) => [at, traffic.values[i] ?? NaN]));
  const scale = (perInterval(traffic) ?? NaN) / (isShare(ratio.name, values) ? 1 : 100);
  const failures = times.map((at, i) => ({
    at,
    count: (values[i] ?? NaN) * (requests.get(at) ?? NaN) * scale,
    asked: (requests.get(at) ?? NaN) * (perInterval(traffic) ?? NaN),
  }));
  const since = Math.max(quietUntilOf(frame), (alert.startsAt ?? frame.now) - LEAD_MS);
  const [quiet, late] = [
    failures.filter(({ at, count }) => at < since && Number.isFinite(count)),
    failures.filter(({ at, count }) => at >= since && Number.isFinite(count)),
  ];
  if (quiet.length === 0 || late.length === 0) return undefined;
  const sum = (list: typeof failures, key: 'count' | 'asked') =>
    list.reduce((total, each) => total + each[key], 0);
  const expected = (sum(quiet, 'count') / quiet.length) * late.length;
  const failed = sum(late, 'count');
  const isChance = failed <= Math.max(MOST_FAILED, expected + BEYOND_CHANCE * Math.sqrt(expected));
  if (!isChance) return undefined;
  const rest = withoutMoved(given, ({ values: own }) => own === ratio.values);
  return areComplaintsOver(rest) && isQuietAround(rest)
    ? `${Math.round(failed)} of ${Math.round(sum(late, 'asked'))} requests of ${node} failed, which chance makes of so few`
    : undefined;
}

/**
 * The number of requests that a value of a traffic series represents; undefined for an unknown
 * unit.
 */
function perInterval({ name, isRate, times }: Series): number | undefined {
  const seconds = stepOf(times) / 1_000;
  const text = plainName(name);
  if (isRate === true || /per_s(ec(ond)?)?(_|$)|rps|qps/.test(text)) return seconds;
  if (/per_min(ute)?(_|$)|rpm/.test(text)) return seconds / 60;
  if (/per_h(our)?(_|$)/.test(text)) return seconds / 3_600;
  return undefined;
}
