import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded, provides, providesOf } from '../../domain/topology/recorded.js';
import type { SourceError } from '../../sources/http/source-error.js';
import type { EvaluatedSamples, MetricSample } from '../../sources/ports.js';
import { nodeArgument } from '../arguments.js';
import { clean } from '../net/endpoint.js';
import { atMost, round, toolResult, worstIssues } from '../result.js';
import { selectedText, sourcesOf, withUnread } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { EVERY_NODE, GROUPS } from './checks.js';
import type { MetricCheck } from './metric-check.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Checks the current metrics of a node by rules, which its Prometheus evaluates: one query for
 * each.
 */
export const metricsCheck: Tool<Args> = {
  name: 'metrics_check',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  // A recording has no server that evaluates: it has the result, if one was captured.
  appliesTo: (node, sources) =>
    providesOf(node, sources, 'metrics') && (!isRecorded(sources) || provides(sources, 'probes')),
  argsFor: (node) => ({ node: node.id }),
  run,
};

/**
 * The issues of a check, with the server's information about their reasons, which is read only if
 * there are any.
 */
async function issuesOf(
  check: MetricCheck,
  samples: readonly MetricSample[],
  context: ToolContext,
): Promise<Issue[]> {
  const judged = samples.flatMap((sample) => {
    const issue = check.judge(sample);
    return issue ? [{ issue, labels: sample.labels }] : [];
  });
  const { reason } = check;
  if (reason === undefined || judged.length === 0) return judged.map(({ issue }) => issue);
  const query = { node: context.node.id, of: reason.of };
  const { metrics } = sourcesOf(context);
  const reasons = await metrics.reasons(query, context.signal);
  return judged.map(({ issue, labels }) => {
    const [text] = reason.keysOf(labels).flatMap((key) => reasons.get(key) ?? []);
    return text === undefined ? issue : { ...issue, detail: `${text}. ${issue.detail}` };
  });
}

const NOTHING: EvaluatedSamples = { samples: [] };

interface CheckSamples {
  check: MetricCheck;
  samples: readonly MetricSample[];
}

/**
 * The samples of all rules: first of those about each node, then of the groups whose gate has a
 * value.
 */
async function computed(
  context: ToolContext,
): Promise<{ found: CheckSamples[]; queries: number; unread?: SourceError }> {
  const { node, signal } = context;
  const { metrics } = sourcesOf(context);
  let queries = 0;
  let unread: SourceError | undefined;
  const ask = async (expressions: readonly string[]): Promise<MetricSample[][]> => {
    if (expressions.length === 0) return [];
    queries += expressions.length;
    const { samples, unread: failure } =
      (await metrics.evaluate({ node: node.id, expressions }, signal)) ?? NOTHING;
    unread ??= failure;
    return samples;
  };
  const gates = GROUPS.map(({ gate }) => gate);
  const answers = await ask([...EVERY_NODE.map(({ expression }) => expression), ...gates]);
  const first = answers.slice(0, EVERY_NODE.length);
  const isOpen = answers.slice(EVERY_NODE.length).map((samples) => samples.length > 0);
  const later = GROUPS.flatMap(({ checks }, index) => (isOpen[index] ? checks : []));
  const samples = [...first, ...(await ask(later.map(({ expression }) => expression)))];
  const found = [...EVERY_NODE, ...later].map((check, index) => ({
    check,
    samples: samples[index] ?? [],
  }));
  return { found, queries, ...(unread && { unread }) };
}

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node } = context;
  const { found, queries, unread } = await computed(context);
  const seen = found.filter(({ samples }) => samples.length > 0);
  // An empty vector is no data, and shows nothing about health.
  if (seen.length === 0 && unread) throw unread;
  if (seen.length === 0)
    return toolResult(
      `no metrics of ${node.id} that the rules read${selectedText(node)}`,
      { recorded: false },
      [],
    );
  const issues: Issue[] = [];
  for (const { check, samples } of seen) issues.push(...(await issuesOf(check, samples, context)));
  const { shown, leftOff } = worstIssues(
    issues.map((issue) => ({
      ...issue,
      title: clean(issue.title, node, 200),
      detail: clean(issue.detail, node, 300),
    })),
  );
  const greatest = seen
    .map(({ check, samples }) => ({
      metric: check.name,
      most: check.most,
      value: round(Math.max(...samples.map(({ value }) => value)), 4),
    }))
    .filter(({ value }) => Number.isFinite(value));
  const judged = greatest.flatMap(({ metric, value, most }) =>
    most === undefined ? [] : atMost(metric, value, most),
  );
  const measurements = {
    recorded: true,
    queries,
    checked: seen.map(({ check }) => check.name),
    greatest: Object.fromEntries(greatest.map(({ metric, value }) => [metric, value])),
    issues_left_off: leftOff,
  };
  const summary =
    shown[0]?.title ??
    `${seen.length} ${seen.length === 1 ? 'check' : 'checks'} of its metrics, none failed`;
  const result = withUnread(toolResult(summary, measurements, shown, judged), unread, node);
  return seen.some(({ check }) => check.ofService) ? result : { ...result, partial: true };
}
