import { z } from 'zod';
import { providesOf } from '../../domain/topology/recorded.js';
import { withoutCounters } from '../../engine/series/counter-rates.js';
import { finitePoints } from '../../engine/series/finite-points.js';
import { nameOfSeries } from '../../engine/series/meaning-of-metric.js';
import { courseOf } from '../../engine/series/course.js';
import { onsetOf } from '../../engine/series/onset/first-kill.js';
import { quietUntilOf, type IncidentFrame, type Series } from '../../domain/telemetry/records.js';
import { interquartileRange, median, round, showNumber } from '../../engine/stats.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../lib/json.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { toolResult } from '../result.js';
import { isoTime, selectedText, withUnread } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const SHOWN = 10;
/** Maximum series that are drawn, and the number of their steps: models read the numbers, too. */
const DRAWN = 3;
const STEPS = 40;
const FAR_OFF = 5;
const LEAST_POINTS = 5;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * The series of a node that left their usual band, and since when; compared with the baseline if
 * there is one.
 */
export const metricsCompare: Tool<Args> = {
  name: 'metrics_compare',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  appliesTo: (node, sources) => providesOf(node, sources, 'metrics'),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

interface SeriesMove {
  series: Series;
  name: string;
  /** It is a counter, compared by what it counts in a second. */
  per_second?: true;
  from: number;
  to: number;
  deviations: number;
  /** Greatest distance from `from` that is still usual. */
  band: number;
  since?: string;
}

async function run({ node }: Args, context: ToolContext): Promise<ToolResult> {
  const { series, frame, unread } = await observed(context, 'metrics');
  const own = series.filter((each) => each.node === node);
  if (own.length === 0)
    return toolResult(
      `no metrics of ${node} were found${selectedText(context.node)}`,
      { recorded: false },
      [],
    );
  const names = new Set(own.map(({ name }) => name));
  const moved = withoutCounters(own)
    .flatMap((each): SeriesMove[] => {
      const found = compare(each, frame);
      const isRate = !own.includes(each) && names.has(each.name);
      return found === undefined ? [] : [{ ...found, ...(isRate && { per_second: true }) }];
    })
    .sort((a, b) => b.deviations - a.deviations);
  const shown = moved.slice(0, SHOWN);
  const measurements = {
    recorded: true,
    series_count: own.length,
    moved: shown.map(({ series: drawn, deviations, band, ...each }, i) => ({
      ...each,
      deviations: round(deviations, 1),
      ...(i < DRAWN && { ...edgeOf(each, band), ...courseIn(drawn) }),
    })),
    moved_left_off: moved.length - shown.length,
  };
  const summary =
    moved.length === 0
      ? `${own.length} series, none out of its usual band`
      : `${moved.length} of ${own.length} series out of their usual band: ${shown[0]?.name}`;
  const result = toolResult(summary, measurements, shown.slice(0, DRAWN).map(toIssue));
  return withUnread(result, unread, context.node);
}

/**
 * The onset that the engine finds; otherwise, for a series that deviates intermittently, the
 * distance to the baseline.
 */
function compare(series: Series, frame: IncidentFrame): SeriesMove | undefined {
  const { now, reportedAt, baseline } = frame;
  const name = nameOfSeries(series);
  const { times, values } = finitePoints(series);
  const onset = onsetOf(series, now, baseline, quietUntilOf(frame));
  if (onset)
    return {
      series,
      name,
      from: onset.from,
      to: onset.to,
      deviations: onset.deviations,
      band: onset.band,
      since: isoTime(onset.at),
    };
  if (baseline === undefined) return undefined;
  const inBaseline = (at: number) => at >= baseline.from && at <= baseline.to;
  const usual = values.filter((_, i) => inBaseline(times[i] ?? NaN));
  const since = reportedAt ?? baseline.to;
  const current = values.filter((_, i) => (times[i] ?? 0) >= since && !inBaseline(times[i] ?? NaN));
  if (usual.length < LEAST_POINTS || current.length === 0) return undefined;
  const from = median(usual);
  const to = median(current);
  const spread = Math.max(interquartileRange(usual), 0.02 * Math.abs(from), 1e-9);
  const deviations = Math.abs(to - from) / spread;
  const band = FAR_OFF * spread;
  return deviations < FAR_OFF ? undefined : { series, name, from, to, deviations, band };
}

const DIGITS = 4;

/**
 * The edge of the usual band that the series has passed: the greatest, or the least, value that is
 * usual.
 */
function edgeOf({ from, to }: Pick<SeriesMove, 'from' | 'to'>, band: number): JsonObject {
  const edge = (value: number): number => Number(value.toPrecision(DIGITS));
  return to > from ? { usual_most: edge(from + band) } : { usual_least: edge(from - band) };
}

/** The series as a field of a result; nothing if it cannot be drawn. */
function courseIn(series: Series): JsonObject {
  const course = courseOf(finitePoints(series), STEPS);
  if (!course) return {};
  const { start, step, values } = course;
  return { course: { start: isoTime(start), step_ms: step, values } };
}

/** For information; whether it is a fault depends on all telemetry. */
const toIssue = ({ name, from, to, since, per_second }: SeriesMove): Issue => {
  const unit = per_second === true ? ' a second' : '';
  return {
    severity: 'info',
    symptom: 'advisory',
    title: `${name} went from ${showNumber(from)} to ${showNumber(to)}${unit}`,
    detail: `${name} is usually ${showNumber(from)}${unit}, and now ${showNumber(to)}${since === undefined ? '' : `, since ${since}`}.`,
  };
};
