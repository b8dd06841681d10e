import { z } from 'zod';
import { provides } from '../../domain/topology/recorded.js';
import { describeObjects } from '../../domain/engine/kubernetes/objects.js';
import { tellingLines } from '../../domain/engine/kubernetes/telling-lines.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { observed } from '../observed.js';
import { round, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/** What Kubernetes says is wrong with the objects of a node. */
export const kubernetesInspect: Tool<Args> = {
  name: 'kubernetes_inspect',
  access: 'read',
  measures: () => 'records',
  repeatable: true,
  args,
  appliesTo: (_node, sources) => provides(sources, 'kubernetes') || provides(sources, 'recordings'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run({ node }: Args, context: ToolContext): Promise<ToolResult> {
  const { kubernetes, recordings } = await observed(context);
  // An object is of a node if its name begins with it; a node that is a cluster has them all.
  const whole = context.nodes.length === 1 || context.node.kind === 'kubernetes';
  const own = kubernetes.filter(({ name }) => whole || name.startsWith(node));
  const answers = whole
    ? recordings
    : recordings.filter(({ args: given }) => JSON.stringify(given).includes(node));
  if (own.length + answers.length === 0)
    return toolResult(`no Kubernetes objects of ${node} were recorded`, { recorded: false }, []);
  const lines = tellingLines([...answers, ...describeObjects(own)], '', 10);
  const measurements = {
    ...{ recorded: true, objects: own.length, answers: answers.length },
    lines: lines.map(({ text, kind, weight }) => ({
      text,
      weight: round(weight),
      ...(kind && { kind }),
    })),
  };
  const issues = lines.slice(0, 3).map(({ text }) => ({
    ...{ severity: 'info' as const, symptom: 'advisory' as const, title: text, detail: '' },
  }));
  return toolResult(lines[0]?.text ?? 'nothing out of the ordinary', measurements, issues);
}
