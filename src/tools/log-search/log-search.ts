import { z } from 'zod';
import { providesOf } from '../../domain/topology/recorded.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { toolResult } from '../result.js';
import { isoTime, sourcesOf, take, timeArgument, windowOf, withUnread } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const DEFAULT_LIMIT = 20;
const TEXT = 500;

const args = z.strictObject({
  node: nodeArgument,
  text: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('Text that the lines contain, whatever its case; default: all lines'),
  from: timeArgument.exactOptional().describe('Default: the beginning of the recording'),
  to: timeArgument.exactOptional().describe('Default: now'),
  limit: z.int().min(1).max(100).exactOptional().describe('Lines at most; default 20'),
});
type Args = z.infer<typeof args>;

/** Log lines of a node that contain a text. */
export const logSearch: Tool<Args> = {
  name: 'log_search',
  access: 'read',
  measures: () => 'records',
  subject: ['text', 'from', 'to'],
  repeatable: true,
  args,
  onDemand: () => true,
  appliesTo: (node, sources) => providesOf(node, sources, 'logs'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(
  { node, text, limit = DEFAULT_LIMIT, ...times }: Args,
  context: ToolContext,
): Promise<ToolResult> {
  const { logs, frame } = sourcesOf(context);
  const window = windowOf(times, frame);
  const found = await take(
    logs.records({ node, window, ...(text !== undefined && { text }) }, context.signal),
    limit,
  );
  if (found === undefined) return toolResult('logs were not recorded', { recorded: false }, []);
  const lines = found.items.map(({ at, severity, body }) => ({
    at: isoTime(at),
    severity,
    body: body.slice(0, TEXT),
  }));
  const more = found.more ? ' and more' : '';
  const result = toolResult(
    `${lines.length}${more} lines${text === undefined ? '' : ` with "${text}"`}`,
    { recorded: true, lines, more: found.more },
    [],
  );
  return withUnread(result, found.unread, context.node);
}
