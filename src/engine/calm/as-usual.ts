import {
  quietUntilOf,
  type AlertRecord,
  type IncidentFrame,
  type Series,
} from '../../domain/telemetry/records.js';
import { groupBy } from '../../lib/group-by.js';
import { finitePoints, stepOf } from '../series/finite-points.js';
import { clock } from '../signs/sign.js';
import { interquartileRange, median, quantile, showNumber } from '../stats.js';

const LEAST_POINTS = 10;
/** An alert fires some time after its cause began. */
const LEAD_MS = 15 * 60_000;
/**
 * Deviations within this many spreads are noise, and those that usual values reach occasionally.
 */
const OFF = 2;
const NOW_AND_THEN = 0.01;
/** A few points are always further out. */
const LEAST_SHARE = 0.05;

/** A normal time that is long ago is recorded separately, as a series of the same labels. */
export const joined = (all: readonly Series[]): Map<string, Series[]> =>
  groupBy(all, ({ name, labels }) => JSON.stringify([name, Object.entries(labels).toSorted()]));

/** The usual values of a metric, and its points since shortly before an alert fired. */
interface Compared {
  name: string;
  node: string;
  usual: number[];
  now: { at: number; value: number }[];
}

/**
 * Compares the recorded series of a metric with its usual values; undefined if there are too few
 * points.
 */
export function compareWithUsual(
  parts: readonly Series[],
  { startsAt }: AlertRecord,
  frame: IncidentFrame,
): Compared | undefined {
  const [{ name = '', node = '' } = {}] = parts;
  const points = parts
    .map(finitePoints)
    .flatMap(({ times, values }) => values.map((value, i) => ({ at: times[i] ?? NaN, value })));
  const { baseline, reportedAt = frame.now } = frame;
  const since = Math.min(startsAt ?? reportedAt, reportedAt) - LEAD_MS;
  const quietUntil = Math.min(quietUntilOf(frame), since);
  const isNormal = ({ at }: { at: number }) =>
    baseline !== undefined && at >= baseline.from && at <= baseline.to;
  const normal = points.filter(isNormal);
  const quiet = points.filter(({ at }) => at < quietUntil);
  const usual = (normal.length >= LEAST_POINTS ? normal : quiet).map(({ value }) => value);
  const now = points.filter((each) => each.at >= since && !isNormal(each));
  return usual.length < LEAST_POINTS || now.length === 0 ? undefined : { name, node, usual, now };
}

/** Describes the metric at the time of the alert, if it was as usual. */
export function asUsual(
  parts: readonly Series[],
  alert: AlertRecord,
  frame: IncidentFrame,
): string | undefined {
  const compared = compareWithUsual(parts, alert, frame);
  if (compared === undefined) return undefined;
  const { name, node, usual } = compared;
  const now = compared.now.map(({ value }) => value);
  const reach = OFF * interquartileRange(usual);
  const least = Math.max(median(usual) - reach, quantile(usual, NOW_AND_THEN));
  const most = Math.min(median(usual) + reach, quantile(usual, 1 - NOW_AND_THEN));
  const isOff = (value: number) => value < least || value > most;
  const off = now.filter(isOff);
  // One point that is out, and is over, is chance.
  const isOver = off.length === 1 && now.length >= 4 && !now.slice(-2).some(isOff);
  if (off.length > LEAST_SHARE * now.length && !isOver) return undefined;
  const [low, high] = [quantile(usual, 0.05), quantile(usual, 0.95)].map(showNumber);
  return `${name} of ${node} was ${showNumber(median(now))}, usually ${low} to ${high}`;
}

/** An interval without a point that is this many times as long as usual is a gap. */
const GAP = 3;

/** Whether points continue until the end: a silent node may be down. */
export function goesOn({ times }: Series, { now }: IncidentFrame): boolean {
  return now - (times.at(-1) ?? -Infinity) <= GAP * stepOf(times);
}

/** Reports when all series of a node had no points, and that they are back. */
export function silenceOf(node: string, own: readonly Series[]): string | undefined {
  const gaps = own.map(({ times }) => {
    const step = stepOf(times);
    const i = times.findIndex((at, index) => (times[index + 1] ?? at) - at >= GAP * step);
    return { from: times[i] ?? NaN, until: times[i + 1] ?? NaN };
  });
  const from = Math.max(...gaps.map((gap) => gap.from));
  const until = Math.min(...gaps.map((gap) => gap.until));
  return from < until
    ? `${node} sent nothing from ${clock(from)} until ${clock(until)}, and is back`
    : undefined;
}
