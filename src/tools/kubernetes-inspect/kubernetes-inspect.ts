import { z } from 'zod';
import { provides } from '../../domain/topology/recorded.js';
import { tellingLines } from '../../engine/kubernetes/telling-lines.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { round, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * The faults that recorded outputs of `kubectl` and similar programs state. Recorded objects are
 * handled by `kubernetes_check`.
 */
export const kubernetesInspect: Tool<Args> = {
  name: 'kubernetes_inspect',
  access: 'read',
  measures: () => 'records',
  repeatable: true,
  args,
  appliesTo: (_node, sources) => provides(sources, 'recordings'),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

async function run({ node }: Args, context: ToolContext): Promise<ToolResult> {
  const { recordings } = await observed(context, 'recordings');
  // An output belongs to a node if the call names the node; a node that is a cluster has all
  // outputs.
  const whole = context.nodes.length === 1 || context.node.kind === 'kubernetes';
  const own = whole
    ? recordings
    : recordings.filter(({ args: given }) => JSON.stringify(given).includes(node));
  if (own.length === 0)
    return toolResult(`no outputs of tools about ${node} were recorded`, { recorded: false }, []);
  const lines = tellingLines(own, '', 10);
  const measurements = {
    recorded: true,
    answers: own.length,
    lines: lines.map(({ text, kind, weight }) => ({
      text,
      weight: round(weight),
      ...(kind && { kind }),
    })),
  };
  const issues = lines.slice(0, 3).map(({ text }) => ({
    severity: 'info' as const,
    symptom: 'advisory' as const,
    title: text,
    detail: '',
  }));
  return toolResult(lines[0]?.text ?? 'nothing out of the ordinary', measurements, issues);
}
