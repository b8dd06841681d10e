import {
  quietUntilOf,
  type AlertRecord,
  type IncidentFrame,
  type Series,
} from '../domain/telemetry/records.js';
import { groupBy } from '../lib/group-by.js';
import { nodesNamedIn, textOfAlert } from './alert-subject.js';
import type { LogTemplate } from './logs/log-templates.js';
import { beyondTraffic } from './series/beyond-traffic.js';
import { finitePoints, stepOf } from './series/finite-points.js';
import type { Onset } from './series/onset/onset.js';
import { lastOfRhythm } from './series/onset/rhythm.js';
import { isAtDailyHeight } from './series/onset/season.js';
import { clock } from './signs/sign.js';
import { interquartileRange, median, quantile, showNumber } from './stats.js';

/** What was recorded. */
interface Recorded {
  frame: IncidentFrame;
  series: readonly Series[];
  templates: readonly unknown[];
  spans: readonly unknown[];
  changes: readonly unknown[];
  recordings: readonly unknown[];
  kubernetes: readonly unknown[];
}

interface Unusual {
  moved: readonly (Series & { onset: Onset })[];
  complaints: readonly LogTemplate[];
}

/**
 * What speaks against an alert, in words: what it names is as it always is, or nothing of its node
 * is unusual. Thresholds are crossed by noise, by the height of each day, and by gaps.
 *
 * @returns undefined of an alert that may be right
 */
export function refutationOf(
  seen: Recorded,
  alert: AlertRecord | undefined,
  node: string | undefined,
  unusual: Unusual,
): string | undefined {
  const own = seen.series.filter((each) => each.node === node);
  if (alert === undefined || node === undefined || own.length === 0) return undefined;
  const isUnusual = [...unusual.moved, ...unusual.complaints].some((each) => each.node === node);
  const named = namedBy(alert, own);
  const going = own.filter((each) => goesOn(each, seen.frame));
  const high = going.find(
    (each) => (named.length === 0 || named.includes(each)) && isAtDailyHeight(each),
  );
  if (!isUnusual && high) return `${high.name} of ${node} is as high at this time of each day`;
  const rhythmic = named.filter((each) => going.includes(each)).find((each) => lastOfRhythm(each));
  if (!isUnusual && rhythmic)
    return `${rhythmic.name} of ${node} has been as high at regular times before`;
  // Of these, what is unusual is not known.
  if (seen.recordings.length > 0 || seen.kubernetes.length > 0) return undefined;
  if (going.length === 0) return undefined;
  if (named.length > 0) {
    const hasMoved = unusual.moved.some(({ values }) =>
      named.some((each) => each.values === values),
    );
    const usual = [...joined(named).values()].map((each) => asUsual(each, alert, seen.frame));
    return hasMoved || usual.includes(undefined) ? undefined : usual[0];
  }
  const isMeasuredOnly = seen.templates.length === 0 && seen.spans.length === 0;
  if (!isMeasuredOnly || seen.changes.length > 0 || isUnusual) return undefined;
  const isCalm = beyondTraffic(unusual.moved, seen.series).length === 0;
  return silenceOf(node, own) ?? (isCalm ? `no series of ${node} left its usual band` : undefined);
}

/** The series of the node that an alert names: by its label, else by a word of its text. */
function namedBy(alert: AlertRecord, own: readonly Series[]): Series[] {
  const { metric, stat } = alert.labels;
  const inText = nodesNamedIn(
    textOfAlert(alert),
    own.map(({ name }) => name),
  );
  return own.filter(
    ({ name, labels }) =>
      (metric === undefined ? inText.includes(name) : name === metric) &&
      (stat === undefined || labels['stat'] === undefined || labels['stat'] === stat),
  );
}

const LEAST_POINTS = 10;
/** An alert fires some time after what it is about began. */
const LEAD_MS = 15 * 60_000;
/** What is within so many spreads is noise, and what usual values reach now and then. */
const OFF = 2;
const NOW_AND_THEN = 0.01;
/** A few points are always further out. */
const LEAST_SHARE = 0.05;

/** A normal time that lies far back is recorded apart, as a series of the same labels. */
const joined = (all: readonly Series[]): Map<string, Series[]> =>
  groupBy(all, ({ name, labels }) => JSON.stringify([name, Object.entries(labels).toSorted()]));

/** Says how what was recorded as one or more series was when an alert fired, if it was as usual. */
function asUsual(
  parts: readonly Series[],
  { startsAt }: AlertRecord,
  frame: IncidentFrame,
): string | undefined {
  const [{ name = '', node = '' } = {}] = parts;
  const points = parts.map(finitePoints);
  const times = points.flatMap((each) => each.times);
  const values = points.flatMap((each) => each.values);
  const { baseline, reportedAt = frame.now } = frame;
  const since = Math.min(startsAt ?? reportedAt, reportedAt) - LEAD_MS;
  const quietUntil = Math.min(quietUntilOf(frame), since);
  const isNormal = (at: number) => baseline && at >= baseline.from && at <= baseline.to;
  const valuesAt = (wanted: (at: number) => boolean | undefined) =>
    values.filter((_, i) => wanted(times[i] ?? NaN));
  const normal = valuesAt(isNormal);
  const usual = normal.length >= LEAST_POINTS ? normal : valuesAt((at) => at < quietUntil);
  const now = valuesAt((at) => at >= since && isNormal(at) !== true);
  if (usual.length < LEAST_POINTS || now.length === 0) return undefined;
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

/** So many times as long without a point as usual is a gap. */
const GAP = 3;

/** Whether points come until the end: what is silent may be down. */
function goesOn({ times }: Series, { now }: IncidentFrame): boolean {
  return now - (times.at(-1) ?? -Infinity) <= GAP * stepOf(times);
}

/** Says when all series of a node had no points, and that they are back. */
function silenceOf(node: string, own: readonly Series[]): string | undefined {
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
