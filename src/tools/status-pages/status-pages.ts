import { z } from 'zod';
import { provides } from '../../domain/topology/recorded.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { toolResult } from '../result.js';
import { sourcesOf, take } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const MOST = 20;
const MOST_TEXT = 4_000;

const args = z.strictObject({ node: nodeArgument.describe('Any node') });
type Args = z.infer<typeof args>;

/** The content of the status pages of providers. */
export const statusPages: Tool<Args> = {
  name: 'status_pages',
  access: 'read',
  measures: () => 'system',
  repeatable: true,
  scope: 'topology',
  args,
  onDemand: () => true,
  appliesTo: (_node, sources) => provides(sources, 'status'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const found = await take(sourcesOf(context).status.documents(context.signal), MOST);
  if (found === undefined)
    return toolResult('status pages were not recorded', { recorded: false }, []);
  const pages = found.items.map(({ name, document }) => ({
    name,
    text: JSON.stringify(document).slice(0, MOST_TEXT),
  }));
  return toolResult(`${pages.length} status pages`, { recorded: true, pages }, []);
}
