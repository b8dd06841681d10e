import { z } from 'zod';
import { provides } from '../../domain/topology/recorded.js';
import type { Observations } from '../../engine/observations.js';
import { spanKey } from '../../engine/traces/trace-tree.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';

const MOST_EDGES = 500;

const args = z.strictObject({ node: nodeArgument.describe('Any node: the whole graph is shown') });
type Args = z.infer<typeof args>;

/** The calls between services, as the topology and the spans show them. */
export const serviceGraph: Tool<Args> = {
  name: 'service_graph',
  access: 'read',
  measures: () => 'system',
  repeatable: true,
  scope: 'topology',
  args,
  onDemand: () => true,
  appliesTo: (_node, sources) => provides(sources, 'traces'),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const seen = await observed(context);
  const calls = learntEdges(seen);
  const known = new Set(
    context.nodes.flatMap(({ id, dependsOn }) => dependsOn.map((to) => `${id}\t${to}`)),
  );
  const edges = [
    ...[...calls].map(([key, counts]) => ({
      ...endsOf(key),
      ...counts,
      from_topology: known.has(key),
    })),
    ...[...known]
      .filter((key) => !calls.has(key))
      .map((key) => ({ ...endsOf(key), from_topology: true })),
  ];
  const learnt = edges.filter(({ from_topology }) => !from_topology).length;
  const measurements = {
    edges: edges.slice(0, MOST_EDGES),
    left_off: Math.max(0, edges.length - MOST_EDGES),
  };
  return toolResult(
    `${edges.length} dependencies, ${learnt} of them only seen in traces`,
    measurements,
    [],
  );
}

const endsOf = (key: string): { caller: string; callee: string } => {
  const [caller = '', callee = ''] = key.split('\t');
  return { caller, callee };
};

/** Calls between spans of different nodes. */
function learntEdges({ spans }: Observations): Map<string, { calls: number; failed: number }> {
  const nodeOf = new Map(
    spans.map(({ traceId, spanId, node }) => [spanKey(traceId, spanId), node]),
  );
  const edges = new Map<string, { calls: number; failed: number }>();
  for (const { traceId, parentId, node, error } of spans) {
    const caller = parentId === undefined ? undefined : nodeOf.get(spanKey(traceId, parentId));
    if (caller === undefined || node === undefined || caller === node) continue;
    const key = `${caller}\t${node}`;
    const known = edges.get(key) ?? { calls: 0, failed: 0 };
    known.calls += 1;
    if (error !== undefined) known.failed += 1;
    edges.set(key, known);
  }
  return edges;
}
