import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { describeObjects } from '../../domain/engine/kubernetes/objects.js';
import { tellingLines } from '../../domain/engine/kubernetes/telling-lines.js';
import { analyzeKubernetes } from '../../domain/kubernetes/analyze.js';
import type { KubernetesFinding } from '../../domain/kubernetes/cluster.js';
import { provides } from '../../domain/topology/recorded.js';
import { nodeArgument } from '../arguments.js';
import { textAttribute } from '../attributes.js';
import { clean } from '../net/endpoint.js';
import { toolResult } from '../result.js';
import { sourcesOf, take } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

/** Objects that are read, of all kinds; a cluster has some thousands in a namespace. */
const MOST_OBJECTS = 20_000;
const MOST_ISSUES = 15;
const MOST_LINES = 10;
/** Kinds that are of the cluster, and not of one workload. */
const CLUSTER_KINDS = new Set(['Node', 'PersistentVolume', 'StorageClass', 'IngressClass']);

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Checks Kubernetes objects by rules. Attribute `kubernetes`: the name of the node's workload; default the id of the node. A
 * node of kind `kubernetes` stands for all objects.
 */
export const kubernetesCheck: Tool<Args> = {
  name: 'kubernetes_check',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 48 * 2 ** 20,
  args,
  appliesTo: (_node, sources) => provides(sources, 'kubernetes'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node } = context;
  const { kubernetes, frame } = sourcesOf(context);
  const read = await take(kubernetes.objects(context.signal), MOST_OBJECTS);
  const whole = node.kind === 'kubernetes' || context.nodes.length === 1;
  const workload = textAttribute(node, 'kubernetes') ?? node.id;
  const isOwn = (name: string) => whole || name === workload || name.startsWith(`${workload}-`);
  const own = read?.items.filter(({ kind, name }) => kind !== 'Event' && isOwn(name)) ?? [];
  if (read === undefined || own.length === 0)
    return toolResult(`no Kubernetes objects of ${workload} were read`, { recorded: false }, []);
  const found = analyzeKubernetes(read.items, frame.now).filter(
    ({ kind, name }) => isOwn(name) && (whole || !CLUSTER_KINDS.has(kind)),
  );
  const issues = found.map((each) => issueOf(each, context));
  const summary = issues[0]
    ? `${issues[0].title}${issues.length > 1 ? ` and ${issues.length - 1} more` : ''}`
    : `${own.length} Kubernetes objects, nothing wrong by the rules`;
  const measurements = {
    recorded: true,
    objects: own.length,
    findings: found.length,
    lines: tellingLines(
      describeObjects(read.items.filter(({ name }) => isOwn(name))),
      '',
      MOST_LINES,
    ).map(({ text }) => clean(text, node, 300)),
    ...(read.more && { incomplete: true }),
  };
  const result = toolResult(summary, measurements, issues.slice(0, MOST_ISSUES));
  return read.more ? { ...result, partial: true } : result;
}

function issueOf(
  { kind, name, severity, symptom, title, detail }: KubernetesFinding,
  { node }: ToolContext,
): Issue {
  return {
    ...{ severity, symptom },
    title: clean(`${kind} ${name} ${title}`, node, 200),
    detail:
      clean(detail, node, 400) || `${kind} ${clean(name, node, 100)}: ${clean(title, node, 200)}.`,
  };
}
