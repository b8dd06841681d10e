import type { Topology, TopologyNode } from '../../../domain/topology/topology.js';
import type { Tool } from '../../../tools/tool.js';
import type { AgentPlace } from '../../runtime/agent-place.js';

/**
 * The nodes that an agent's tools reach: a worker's own node and, for tools that only read and if
 * its binding allows it, the direct dependencies. Supervisors and the oracle reach every node.
 */
export function reachOf(
  { nodes }: Pick<Topology, 'nodes'>,
  { worker }: Pick<AgentPlace, 'worker'>,
  access: Tool['access'],
): readonly TopologyNode[] {
  if (!worker) return nodes;
  const own = nodes.filter(({ id }) => id === worker.node);
  if (access !== 'read' || worker.reach !== 'dependencies') return own;
  const below = new Set(own.flatMap(({ dependsOn }) => dependsOn));
  return [...own, ...nodes.filter(({ id }) => id !== worker.node && below.has(id))];
}
