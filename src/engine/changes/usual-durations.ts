import type { Series } from '../../domain/telemetry/records.js';
import { groupBy } from '../../lib/group-by.js';
import type { Observations } from '../observations.js';
import { quantile } from '../stats.js';
import { plainName } from '../series/meaning-of-metric.js';

/** High quantiles and maxima of durations. */
const DURATION =
  /(?=.*(latenc|duration|response_?time|elapsed|seconds|_ms|time_))(?=.*(p9\d|quantile|max))/;
const IN_SECONDS: readonly [RegExp, number][] = [
  [/(^|_)(ms|millis|milliseconds)(_|$)/, 1e-3],
  [/(^|_)(us|micros|microseconds)(_|$)/, 1e-6],
  [/(^|_)(s|sec|seconds)(_|$)/, 1],
];
/** The quantile of the durations that counts as the usual maximum. */
const QUANTILE = 0.99;

const longest = (values: readonly number[]): number =>
  quantile(values.filter(Number.isFinite), QUANTILE);

const isDuration = ({ name }: Series): boolean => DURATION.test(`_${plainName(name)}`);

/**
 * The usual maximum duration of a request of each node in normal time, in seconds, by its series
 * and spans. A node without either has no entry.
 */
export function usualDurations(
  { series, spans }: Pick<Observations, 'series' | 'spans'>,
  quietUntil: number,
): ReadonlyMap<string, number> {
  const usual = new Map<string, number>();
  const see = (node: string | undefined, seconds: number) => {
    if (node !== undefined && Number.isFinite(seconds))
      usual.set(node, Math.max(usual.get(node) ?? 0, seconds));
  };
  for (const { node, name, times, values } of series.filter(isDuration)) {
    const unit = IN_SECONDS.find(([pattern]) => pattern.test(plainName(name)))?.[1];
    const quiet = values.filter((_, i) => (times[i] ?? NaN) <= quietUntil);
    if (unit !== undefined) see(node, longest(quiet) * unit);
  }
  const calm = spans.filter(({ start }) => start <= quietUntil);
  for (const [node, own] of groupBy(calm, (span) => span.node))
    see(node, longest(own.map(({ durationMs }) => durationMs)) / 1_000);
  return usual;
}
