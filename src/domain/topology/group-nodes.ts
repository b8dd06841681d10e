import type { TopologyNode } from './topology.js';

/** Larger groups are split. Components smaller than `FEW` share a team. */
const MANY = 8;
const FEW = 3;

export interface NodeGroup {
  name: string;
  nodes: TopologyNode[];
}

/**
 * Groups nodes into teams, of three to eight nodes if possible:
 *
 * 1. The attribute `team`, otherwise `group`, names the group of a node, whatever its size.
 * 2. Of the others, nodes connected by dependencies form a group, named after its entry (a node
 *   that no other depends on). A group of more than eight is cut into tiers, from the entry down,
 *   so that each team has neighbouring layers.
 * 3. Components smaller than three are pooled with similar ones (same kind first).
 *
 * Deterministic: depends only on the order and content of the nodes. Expects no cycles. Linear
 * except for the sorting.
 */
export function groupNodes(nodes: readonly TopologyNode[], topologyName: string): NodeGroup[] {
  const named = new Map<string, TopologyNode[]>();
  const rest: TopologyNode[] = [];
  for (const node of nodes) {
    const name = [node.attributes['team'], node.attributes['group']].find(
      (value) => typeof value === 'string' && value.trim() !== '',
    );
    if (typeof name !== 'string') rest.push(node);
    else if (named.get(name)?.push(node) === undefined) named.set(name, [node]);
  }
  const components = connected(rest);
  const small = components.filter((component) => component.length < FEW);
  const groups = [
    ...[...named].map(([name, members]) => ({ name, nodes: members })),
    ...components.filter((component) => component.length >= FEW).flatMap(tiers),
    ...(small.length === 1 ? small.flatMap(tiers) : pooled(small)),
  ];
  const [only] = groups;
  return only !== undefined && groups.length === 1 && named.size === 0
    ? [{ ...only, name: topologyName }]
    : groups;
}

/** Components connected by dependencies in either direction, in the order of their first nodes. */
function connected(nodes: readonly TopologyNode[]): TopologyNode[][] {
  const order = new Map(nodes.map((node, index) => [node.id, index]));
  const neighbours = new Map(
    nodes.map((node) => [node.id, node.dependsOn.filter((id) => order.has(id))]),
  );
  for (const node of nodes) for (const id of node.dependsOn) neighbours.get(id)?.push(node.id);

  const seen = new Set<string>();
  return nodes.flatMap((start) => {
    if (seen.has(start.id)) return [];
    seen.add(start.id);
    const found = [start.id];
    // The set grows during the loop.
    for (const id of found) {
      for (const next of neighbours.get(id) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        found.push(next);
      }
    }
    const indexes = found.map((id) => order.get(id) ?? 0).sort((a, b) => a - b);
    return [indexes.flatMap((index) => nodes[index] ?? [])];
  });
}

/** A component as one group, or cut into groups of consecutive layers of similar size. */
function tiers(component: TopologyNode[]): NodeGroup[] {
  const depths = depthsOf(component);
  const depth = (node: TopologyNode): number => depths.get(node.id) ?? 0;
  const sorted = component.toSorted((a, b) => depth(a) - depth(b));
  const name = sorted[0]?.name ?? '';
  const parts = evenly(sorted, Math.ceil(sorted.length / MANY));
  return parts.map((part, index) => ({
    name: parts.length === 1 ? name : `${name} tier ${index + 1}`,
    nodes: part,
  }));
}

/**
 * The longest path from an entry, by Kahn's algorithm: a node is settled after all nodes that
 * depend on it.
 */
function depthsOf(nodes: readonly TopologyNode[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const waiting = new Map<string, number>();
  for (const node of nodes)
    for (const id of node.dependsOn) waiting.set(id, (waiting.get(id) ?? 0) + 1);
  const depths = new Map<string, number>();
  const settled = nodes.filter(({ id }) => !waiting.has(id));
  for (const { id, dependsOn } of settled) {
    for (const target of dependsOn) {
      depths.set(target, Math.max(depths.get(target) ?? 0, (depths.get(id) ?? 0) + 1));
      const open = (waiting.get(target) ?? 0) - 1;
      waiting.set(target, open);
      const node = byId.get(target);
      if (open === 0 && node !== undefined) settled.push(node);
    }
  }
  return depths;
}

/**
 * Pools small components into as few and as equal groups as possible. Components stay whole, those
 * of the same kind are adjacent.
 */
function pooled(components: TopologyNode[][]): NodeGroup[] {
  const kindOf = (component: TopologyNode[]): string => component[0]?.kind ?? '';
  const kinds = [...new Set(components.map(kindOf))];
  const sorted = components.toSorted((a, b) => kinds.indexOf(kindOf(a)) - kinds.indexOf(kindOf(b)));
  const total = sorted.reduce((sum, component) => sum + component.length, 0);
  const target = total / Math.ceil(total / MANY);
  const groups: TopologyNode[][] = [];
  let filled = 0;
  for (const component of sorted) {
    const size = groups.at(-1)?.length ?? MANY;
    if (size + component.length > MANY || filled >= target * groups.length) groups.push([]);
    groups.at(-1)?.push(...component);
    filled += component.length;
  }
  return groups.map((nodes) => {
    const [first] = nodes;
    const alike = nodes.every(({ kind }) => kind === first?.kind);
    return { name: alike ? `${first?.kind ?? ''} nodes` : 'Other nodes', nodes };
  });
}

function evenly<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, index) =>
    items.slice(
      Math.floor((index * items.length) / parts),
      Math.floor(((index + 1) * items.length) / parts),
    ),
  );
}
