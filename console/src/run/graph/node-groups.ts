import type { Health } from '../../model/types.js';
import type { GraphNode } from './graph-node.js';

/** Nodes that are not drawn one by one. */
export interface NodeGroup {
  name: string;
  members: readonly GraphNode[];
}

/** More teams than these say less than layers do. */
const MOST_TEAMS = 24;

/** By node: the team, or how many steps it is below the nodes that nothing depends on. */
export function groupNames(nodes: readonly GraphNode[]): Map<string, string> {
  const teams = new Set(nodes.map(({ team }) => team ?? ''));
  if (teams.size > 1 && teams.size <= MOST_TEAMS)
    return new Map(nodes.map(({ id, team }) => [id, team || 'No team']));
  const named = new Map<string, string>();
  layersOf(nodes).forEach((layer, i) => {
    for (const { id } of layer) named.set(id, `Layer ${i + 1}`);
  });
  return named;
}

/** Nodes that nothing depends on, then those that these depend on, and so on; cycles are last. */
export function layersOf(nodes: readonly GraphNode[]): GraphNode[][] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const needed = new Set(
    nodes.flatMap(({ id, dependsOn }) => dependsOn.filter((other) => other !== id)),
  );
  const placed = new Set<string>();
  const layers: GraphNode[][] = [];
  let layer = nodes.filter(({ id }) => !needed.has(id));
  while (placed.size < byId.size) {
    // Of a cycle that nothing leads to, any node is the first one.
    if (layer.length === 0) layer = nodes.filter(({ id }) => !placed.has(id)).slice(0, 1);
    for (const { id } of layer) placed.add(id);
    layers.push(layer);
    const next = new Set(layer.flatMap(({ dependsOn }) => dependsOn));
    layer = [...next].flatMap((id) => (placed.has(id) ? [] : (byId.get(id) ?? [])));
  }
  return layers;
}

/** What is worst, or not known, before what is healthy. */
const ORDER: readonly Health[] = ['root', 'critical', 'warning', 'unchecked', 'unknown', 'ok'];

/** How many nodes of a group there are of each health, the worst first. */
export function healthCounts(
  { members }: NodeGroup,
  healthOf: (id: string) => Health,
): [Health, number][] {
  const counts = new Map<Health, number>();
  for (const { id } of members) {
    const health = healthOf(id);
    counts.set(health, (counts.get(health) ?? 0) + 1);
  }
  return ORDER.flatMap((health) => {
    const count = counts.get(health);
    return count === undefined ? [] : [[health, count] as [Health, number]];
  });
}
