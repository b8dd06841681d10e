import {
  incidentSince,
  quietUntilOf,
  type IncidentFrame,
  type Series,
} from '../../domain/telemetry/records.js';
import { median, quantile } from '../stats.js';
import { finitePoints } from './finite-points.js';

/** A resource near the top of its scale, and far from its usual value. */
export interface Saturation {
  node: string;
  name: string;
  usual: number;
  top: number;
  /** Share of the scale. */
  share: number;
  resource: 'cpu' | 'memory' | 'disk' | 'other';
}

const SCALED = /percent|ratio|utili[sz]ation/i;
/** Utilisation is a share of one in OpenTelemetry, and percent elsewhere: the values show which. */
export const isShare = (name: string, values: readonly number[]): boolean =>
  /ratio/i.test(name) || (!/percent/i.test(name) && values.every((value) => value <= 1));

/** From this share of its scale on, a resource is nearly exhausted. */
const NEARLY_FULL = 0.75;

type SeriesValues = Pick<Series, 'name' | 'values'>;

/**
 * A value as a share of the scale of a metric, such as percent; undefined for a metric without a
 * scale.
 */
function shareOf({ name, values }: SeriesValues, value: number): number | undefined {
  if (!SCALED.test(name)) return undefined;
  return value / (isShare(name, values.filter(Number.isFinite)) ? 1 : 100);
}

/** Whether a metric on a scale is far from its top. One without a scale never is. */
export const hasRoom = (series: SeriesValues, value: number): boolean =>
  (shareOf(series, value) ?? Infinity) < NEARLY_FULL;

/**
 * Whether a resource on a scale is nearly exhausted. The metric measures its use (`worse` is 1) or
 * the remainder (-1).
 */
export function isNearlyUsedUp(series: SeriesValues, value: number, worse: 1 | -1): boolean {
  const share = shareOf(series, value);
  return share !== undefined && (worse === 1 ? share : 1 - share) >= NEARLY_FULL;
}

const RESOURCES: readonly [Saturation['resource'], RegExp][] = [
  ['cpu', /cpu/i],
  ['memory', /mem|heap/i],
  ['disk', /disk/i],
  ['other', /fd|thread|conn/i],
];
/** Metrics of a machine are those of everything that runs on it. */
const OF_HOST = /^node_/;
const LEAST_POINTS = 5;
const BEFORE_REPORT_MS = 30_000;

/** Saturated resources of a node (the S of the USE method; Gregg, 2012), most saturated first. */
export function saturations(series: readonly Series[], frame: IncidentFrame): Saturation[] {
  const since = incidentSince(frame) - BEFORE_REPORT_MS;
  // A failure begins before it is reported: the last period before the report is not usual.
  const quietUntil = frame.reportedAt === undefined ? since : quietUntilOf(frame);
  return series
    .flatMap((each): Saturation[] => {
      const { node, name } = each;
      const resource = RESOURCES.find(([, pattern]) => pattern.test(name))?.[0];
      if (node === undefined || resource === undefined || !SCALED.test(name) || OF_HOST.test(name))
        return [];
      const { times, values } = finitePoints(each);
      const early = values.filter((_, i) => (times[i] ?? 0) < Math.min(since, quietUntil));
      const before =
        early.length >= LEAST_POINTS ? early : values.filter((_, i) => (times[i] ?? 0) < since);
      const after = values.filter((_, i) => (times[i] ?? 0) >= since);
      if (before.length < LEAST_POINTS || after.length === 0) return [];
      const full = isShare(name, values) ? 1 : 100;
      const usual = median(before);
      const top = Math.max(...after);
      const saturated =
        // Values that are usually beyond the scale belong to another scale.
        usual <= full &&
        top >= NEARLY_FULL * full &&
        top > 3 * Math.max(usual, 0.02 * full) &&
        top > 1.5 * quantile(before, 0.95);
      return saturated ? [{ node, name, usual, top, share: top / full, resource }] : [];
    })
    .sort((a, b) => b.share - a.share);
}
