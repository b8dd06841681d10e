import { z } from 'zod';
import { provides } from '../../domain/topology/recorded.js';
import type { Change } from '../../domain/telemetry/records.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { toolResult } from '../result.js';
import { isoTime, sourcesOf, take, timeArgument, windowOf, withUnread } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const MOST = 2_000;
const SHOWN = 60;

const args = z.strictObject({
  node: nodeArgument.describe('Any node: changes of the whole system are listed'),
  before: timeArgument.exactOptional().describe('Only changes before this time; default: now'),
});
type Args = z.infer<typeof args>;

/** The recent changes, latest first: commits, deploys, flags, configuration. */
export const recentChanges: Tool<Args> = {
  name: 'recent_changes',
  access: 'read',
  measures: () => 'system',
  subject: ['before'],
  repeatable: true,
  scope: 'topology',
  args,
  onDemand: () => true,
  appliesTo: (_node, sources) => provides(sources, 'changes'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run({ before }: Args, context: ToolContext): Promise<ToolResult> {
  const { changes, frame } = sourcesOf(context);
  const { to } = windowOf(before === undefined ? {} : { to: before }, frame);
  const found = await take(changes.changes({ window: { from: 0, to } }, context.signal), MOST);
  if (found === undefined) return toolResult('changes were not recorded', { recorded: false }, []);
  const latest = found.items.toSorted((a, b) => b.at - a.at);
  const measurements = {
    recorded: true,
    changes: latest.slice(0, SHOWN).map(describe),
    left_off: Math.max(0, latest.length - SHOWN),
  };
  const result = toolResult(`${latest.length} changes before ${isoTime(to)}`, measurements, []);
  return withUnread(result, found.unread, context.node);
}

function describe({ at, diff, message, files, ...change }: Change) {
  return {
    at: isoTime(at),
    ...change,
    ...(message !== undefined && { message: message.slice(0, 200) }),
    ...(files && { files: files.slice(0, 10) }),
    has_diff: diff !== undefined,
  };
}
