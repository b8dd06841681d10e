import { z } from 'zod';
import { provides } from '../../domain/topology/recorded.js';
import type { Change } from '../../domain/telemetry/records.js';
import { effectsOf } from '../../engine/changes/mechanisms/mechanism.js';
import { readChange as read } from '../../engine/changes/read-change.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { toolResult } from '../result.js';
import { isoTime } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const MOST_DIFF = 20_000;
const LEAST_PREFIX = 7;

const args = z.strictObject({
  node: nodeArgument.describe('Any node'),
  change: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('Id of the change, or the first 7 characters of it; default: the latest'),
});
type Args = z.infer<typeof args>;

/** The diff of a change, and its possibly harmful effects. */
export const readChange: Tool<Args> = {
  name: 'read_change',
  access: 'read',
  measures: () => 'system',
  subject: ['change'],
  repeatable: true,
  scope: 'topology',
  args,
  onDemand: () => true,
  appliesTo: (_node, sources) => provides(sources, 'changes'),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

async function run({ change: id }: Args, context: ToolContext): Promise<ToolResult> {
  const { changes } = await observed(context, 'changes');
  const isIt = ({ id: each = '' }: Change) =>
    id === undefined || each === id || (id.length >= LEAST_PREFIX && each.startsWith(id));
  const found = changes.filter(isIt).toSorted((a, b) => b.at - a.at)[0];
  if (found === undefined)
    return toolResult(`no change ${id ?? ''} was recorded`, { recorded: false }, []);
  const { mechanisms } = read(found);
  const { at, diff = '', ...change } = found;
  const measurements = {
    recorded: true,
    at: isoTime(at),
    ...change,
    diff: diff.slice(0, MOST_DIFF),
    diff_left_off: Math.max(0, diff.length - MOST_DIFF),
    mechanisms: mechanisms.map(({ kind, about }) => ({
      kind,
      about: about.slice(0, 200),
      may_cause: effectsOf(kind).map(([symptom]) => symptom),
    })),
  };
  const what = mechanisms.map(({ kind }) => kind.replaceAll('-', ' ')).join(', ');
  return toolResult(what === '' ? 'does nothing that is known to hurt' : what, measurements, []);
}
