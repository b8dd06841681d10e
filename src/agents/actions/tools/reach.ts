import type { Topology, TopologyNode } from '../../../domain/topology/topology.js';
import type { Tool } from '../../../tools/tool.js';
import type { AgentPlace } from '../../runtime/agent-place.js';

/**
 * The nodes that an agent's tools reach: a worker's own node and, to look only, the nodes that it directly depends on or that
 * directly depend on it (evidence about those supports a claim about its own: contract section 6). The oracle looks at any.
 */
export function reachOf(
  { nodes }: Topology,
  { worker }: Pick<AgentPlace, 'worker'>,
  access: Tool['access'],
): readonly TopologyNode[] {
  if (!worker) return nodes;
  const own = nodes.filter(({ id }) => id === worker.node);
  if (access !== 'read') return own;
  const below = new Set(own.flatMap(({ dependsOn }) => dependsOn));
  const beside = nodes.filter(
    ({ id, dependsOn }) => id !== worker.node && (below.has(id) || dependsOn.includes(worker.node)),
  );
  return [...own, ...beside];
}
