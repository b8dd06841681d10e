import { z } from 'zod';
import { providesOf } from '../../domain/topology/recorded.js';
import type { Series } from '../../domain/telemetry/records.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { round, toolResult } from '../result.js';
import {
  isoTime,
  selectedText,
  sourcesOf,
  take,
  timeArgument,
  windowOf,
  withUnread,
} from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const MOST_SERIES = 200;
const SHOWN_SERIES = 10;
const SHOWN_POINTS = 60;

const args = z.strictObject({
  node: nodeArgument,
  names: z
    .array(z.string().min(1).max(200))
    .max(20)
    .exactOptional()
    .describe('Names of metrics; default all of the node'),
  from: timeArgument.exactOptional().describe('Default: the beginning of the recording'),
  to: timeArgument.exactOptional().describe('Default: now'),
});
type Args = z.infer<typeof args>;

/** The points of a node's series in a window, thinned out to 60 a series. */
export const metricsQuery: Tool<Args> = {
  name: 'metrics_query',
  access: 'read',
  measures: () => 'records',
  subject: ['names', 'from', 'to'],
  repeatable: true,
  args,
  onDemand: () => true,
  appliesTo: (node, sources) => providesOf(node, sources, 'metrics'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run({ node, names, ...times }: Args, context: ToolContext): Promise<ToolResult> {
  const sources = sourcesOf(context);
  const window = windowOf(times, sources.frame);
  const query = { node, window, ...(names && { names }) };
  const found = await take(sources.metrics.series(query, context.signal), MOST_SERIES);
  const span = { from: isoTime(window.from), to: isoTime(window.to) };
  if (found === undefined || found.items.length === 0)
    return toolResult(
      `no metrics of ${node} were found${selectedText(context.node)}`,
      { recorded: false, ...span },
      [],
    );
  const shown = found.items.slice(0, SHOWN_SERIES);
  const measurements = {
    recorded: true,
    ...span,
    series: shown.map(describe),
    series_left_off: found.items.length - shown.length,
    ...(found.more && { incomplete: true }),
  };
  const result = toolResult(`${found.items.length} series of ${node}`, measurements, []);
  return withUnread(result, found.unread, context.node);
}

function describe({ name, labels, times, values }: Series) {
  const finite = values.filter(Number.isFinite);
  const step = Math.max(1, Math.ceil(times.length / SHOWN_POINTS));
  const points = times.flatMap((at, index) =>
    index % step === 0 ? [[isoTime(at), round(values[index] ?? NaN, 3)]] : [],
  );
  return {
    name,
    labels,
    points,
    least: round(Math.min(...finite), 3),
    greatest: round(Math.max(...finite), 3),
    last: round(finite.at(-1) ?? NaN, 3),
  };
}
