import { z } from 'zod';
import { providesOf } from '../../domain/topology/recorded.js';
import type { Span } from '../../domain/telemetry/records.js';
import { median, round } from '../../engine/stats.js';
import { phaseOf } from '../../engine/traces/trace-tree.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { toolResult } from '../result.js';
import { isoTime, selectedText, withUnread } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const SHOWN = 10;

const args = z.strictObject({
  node: nodeArgument,
  operation: z.string().max(300).exactOptional().describe('Only spans of this name'),
});
type Args = z.infer<typeof args>;

/**
 * Operations of a node in its spans: their frequency, duration and failures, in the incident and
 * before.
 */
export const traceSearch: Tool<Args> = {
  name: 'trace_search',
  access: 'read',
  measures: () => 'records',
  subject: ['operation'],
  repeatable: true,
  args,
  appliesTo: (node, sources) => providesOf(node, sources, 'traces'),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

async function run({ node, operation }: Args, context: ToolContext): Promise<ToolResult> {
  const { spans, frame, unread } = await observed(context, 'traces');
  const own = spans.filter(
    (span) => span.node === node && (operation === undefined || span.name === operation),
  );
  if (own.length === 0)
    return toolResult(
      `no spans of ${node} were found${selectedText(context.node)}`,
      { recorded: false },
      [],
    );
  const byName = new Map<string, Span[]>();
  for (const span of own) {
    const known = byName.get(span.name);
    if (known === undefined) byName.set(span.name, [span]);
    else known.push(span);
  }
  const operations = [...byName].map(([name, list]) => {
    const during = list.filter(({ start }) => phaseOf(start, frame) === 'incident');
    const before = list.filter(({ start }) => phaseOf(start, frame) !== 'incident');
    return { operation: name, incident: summarise(during), before: summarise(before) };
  });
  const failed = own.filter(({ error }) => error !== undefined);
  const measurements = {
    recorded: true,
    span_count: own.length,
    failed_count: failed.length,
    operations: operations.slice(0, SHOWN),
    operations_left_off: Math.max(0, operations.length - SHOWN),
    failed: failed.slice(0, SHOWN).map(describe),
  };
  const summary = `${own.length} spans of ${byName.size} operations, ${failed.length} failed`;
  const result = toolResult(summary, measurements, failed.slice(0, 1).map(toIssue));
  return withUnread(result, unread, context.node);
}

const summarise = (spans: readonly Span[]) => ({
  count: spans.length,
  failed: spans.filter(({ error }) => error !== undefined).length,
  ...(spans.length > 0 && { median_ms: round(median(spans.map(({ durationMs }) => durationMs))) }),
});

const describe = ({ traceId, spanId, name, start, durationMs, error = '' }: Span) => ({
  trace_id: traceId,
  span_id: spanId,
  operation: name,
  at: isoTime(start),
  duration_ms: round(durationMs),
  error: error.slice(0, 300),
});

const toIssue = ({ name, error = '' }: Span): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title: `spans of ${name.slice(0, 120)} fail`,
  detail: error.slice(0, 300),
});
