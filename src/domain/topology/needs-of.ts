import type { TopologyNode } from './topology.js';

/** Returns the ids of the nodes that a node depends on, directly or not, the nearest first. */
export function needsOf(
  nodes: readonly Pick<TopologyNode, 'id' | 'dependsOn'>[],
  id: string,
): string[] {
  const dependsOn = new Map(nodes.map((node) => [node.id, node.dependsOn]));
  const found = new Set<string>();
  const next = [...(dependsOn.get(id) ?? [])];
  for (let at = next.shift(); at !== undefined; at = next.shift()) {
    if (at === id || found.has(at)) continue;
    found.add(at);
    next.push(...(dependsOn.get(at) ?? []));
  }
  return [...found];
}
