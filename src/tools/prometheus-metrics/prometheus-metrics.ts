import { z } from 'zod';
import { ATTRIBUTE_BOUNDS } from '../../domain/topology/node-attributes.js';
import type { Json } from '../../lib/json.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf } from '../attributes.js';
import { clean, showUrl, urlOf } from '../net/endpoint.js';
import {
  type SeriesDelta,
  judgeThresholds,
  type MetricThreshold,
  thresholdsOf,
} from './metric-thresholds.js';
import { judgeProcessAge, PROCESS_START } from './process-age.js';
import { slowIssue, toolResult, worstIssues } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { pause } from '../../lib/async.js';
import { metricsUrlOf, readMetrics, MAX_BYTES, type InterestIn } from './read-metrics.js';
import { changesOf } from './series-changes.js';

const MOST_SERIES = 40;
const MOST_ISSUES = 10;

const args = z.strictObject({
  node: nodeArgument,
  names: z
    .array(z.string().min(1).max(200))
    .max(50)
    .exactOptional()
    .describe(
      'Names of the metrics to show, with a * at the end for all that begin so; default those with thresholds, else the first ones',
    ),
});
type Args = z.infer<typeof args>;

/**
 * Reads the metrics twice. Attributes: `metricsPath` (of a service), `metrics` (see {@link
 * thresholdsOf}), `intervalMs` between the two reads (100 to 10,000; default 1,000), `slowMs`,
 * `timeoutMs`, `trustSelfSigned`, `ca`, `serverName`.
 */
export const prometheusMetrics: Tool<Args> = {
  name: 'prometheus_metrics',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 16 * 2 ** 20,
  args,
  appliesTo: (node) =>
    urlOf(node, 'http:', 'https:') !== undefined &&
    (node.kind === 'prometheus' ||
      (node.kind === 'service' && typeof node.attributes['metricsPath'] === 'string')),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run({ names }: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal } = context;
  const url = metricsUrlOf(node);
  const thresholds = thresholdsOf(node);
  const intervalMs = numberAttribute(node, 'intervalMs', 1_000, ATTRIBUTE_BOUNDS.intervalMs);
  const slowMs = slowMsOf(node);

  const interestIn = interestsOf(names, thresholds);
  const first = await readMetrics(url, interestIn, context);
  if ('issues' in first)
    return toolResult(
      first.issues[0]?.title ?? 'no metrics',
      { url: showUrl(url), ...first.measurements },
      first.issues,
    );
  await pause(intervalMs, signal);
  const second = await readMetrics(url, interestIn, context);

  const issues: Issue[] = [...first.certificateIssues];
  const last = 'metrics' in second ? second : first;
  const latest = last.metrics;
  if (!('metrics' in second))
    issues.push(
      ...second.issues.slice(0, 1).map((issue) => ({
        ...issue,
        severity: 'warning' as const,
        title: `the second read failed: ${issue.title}`,
      })),
    );
  issues.push(...slowIssue('shows its metrics', first.latencyMs, slowMs, 'Reading them took'));
  const changes = changesOf(first.metrics, latest, 'metrics' in second);
  const isWhole = last.complete && latest.leftOut.judged === 0;
  const judged = judgeThresholds(thresholds, changes, { intervalMs, isWhole });
  issues.push(...judged.issues);
  const age = judgeProcessAge(changes, intervalMs, Date.now());
  issues.push(...age.issues);
  // For a service, its metrics are only a part of the measurement.
  if (thresholds.length === 0 && node.kind === 'prometheus') issues.push(NOTHING_JUDGED);
  const wanted =
    names === undefined
      ? judged.selected
      : changes.filter(({ sample }) => names.some((name) => isNamed(sample.name, name)));
  const shown = (names === undefined && thresholds.length === 0 ? changes : wanted).slice(
    0,
    MOST_SERIES,
  );
  const { shown: worstOnes, leftOff } = worstIssues(issues, MOST_ISSUES);
  const notRead = latest.leftOut.judged + latest.leftOut.shown;
  const measurements = {
    url: showUrl(url),
    interval_ms: intervalMs,
    latency_ms: first.latencyMs,
    series_count: latest.series,
    ...(age.ageSeconds !== undefined && { process_age_s: age.ageSeconds }),
    series: shown.map((change) => seriesOf(change, node)),
    series_left_off: Math.max(
      0,
      (names === undefined && thresholds.length === 0 ? changes : wanted).length - shown.length,
    ),
    malformed_lines: latest.malformed,
    ...(notRead > 0 && { series_not_read: notRead }),
    ...(!last.complete && { cut_at_bytes: MAX_BYTES }),
    ...(leftOff > 0 && { issues_left_off: leftOff }),
  };
  const [worst, ...others] = issues.filter(({ severity }) => severity !== 'info');
  const summary = worst
    ? `${worst.title}${others.length > 0 ? ` and ${others.length} more` : ''}`
    : `${latest.series} series, ${judgedText(thresholds, judged.issues)}`;
  const result = toolResult(summary, measurements, worstOnes, judged.judged);
  const isPartial = thresholds.length === 0 || !isWhole || last !== second;
  return {
    ...result,
    ...(isPartial && { partial: true }),
    ...(thresholds.length > 0 && !isWhole && { not_read: NOT_READ }),
  };
}

/** The text about the thresholds of a page without an issue. */
function judgedText(thresholds: readonly MetricThreshold[], [open]: readonly Issue[]): string {
  if (thresholds.length === 0) return 'no thresholds set: nothing was judged';
  if (open) return open.title;
  return thresholds.length === 1
    ? 'within its threshold'
    : `all within ${thresholds.length} thresholds`;
}

/** Also for a selector with series in the part that was read, more may follow. */
const NOT_READ =
  'Its metrics were truncated: the page has more bytes or series than are read, and series with a threshold may be in the rest.';

const NOTHING_JUDGED: Issue = {
  severity: 'info',
  symptom: 'advisory',
  title: 'no thresholds: its metrics were read, and nothing was judged',
  detail:
    'The attribute metrics of the node says which series are judged, and by which limits; without it any value is as good as another.',
};

/**
 * The metrics that are judged or shown; all others are shown, too, if neither names nor thresholds
 * are given.
 */
function interestsOf(
  names: readonly string[] | undefined,
  thresholds: readonly MetricThreshold[],
): InterestIn {
  const judged = new Set([PROCESS_START, ...thresholds.map(({ selector }) => selector.name)]);
  const all = names === undefined && thresholds.length === 0;
  return (name) => {
    if (judged.has(name)) return 'judged';
    return all || names?.some((pattern) => isNamed(name, pattern)) ? 'shown' : undefined;
  };
}

const isNamed = (name: string, pattern: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** JSON has no infinity: such values are texts, as in the format itself. */
function seriesOf(
  { sample, change, reset }: SeriesDelta,
  node: TopologyNode,
): { [key: string]: Json } {
  const show = (value: number): Json => (Number.isFinite(value) ? value : String(value));
  return {
    series: clean(sample.key, node, 160),
    value: show(sample.value),
    ...(change !== undefined && { change: show(change) }),
    ...(reset && { reset }),
  };
}
