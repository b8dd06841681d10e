import type { FirstLook, NodeBrief } from '../../domain/prompt/brief.js';
import type { Topology, TopologyNode, TopologySource } from '../../domain/topology/topology.js';
import type { Tool } from '../../tools/tool.js';

/** Nodes as agents see them: without endpoints. */
export const briefNodes = (topology: Topology, ids?: readonly string[]): NodeBrief[] =>
  topology.nodes
    .filter((node) => !ids || ids.includes(node.id))
    .map(({ id, name, kind, dependsOn }) => ({ id, name, kind, dependsOn }));

/** The calls of a node's first look. */
export const firstLookAt = (
  node: TopologyNode,
  tools: readonly Tool[],
  sources: readonly TopologySource[] | undefined,
): FirstLook[] =>
  tools.flatMap((tool) =>
    tool.appliesTo(node, sources) && tool.onDemand?.(node) !== true
      ? [{ tool: tool.name, args: tool.argsFor(node) }]
      : [],
  );
