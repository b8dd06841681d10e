import type { Size } from '../../ui/use-size.js';
import { isLegible } from './far-view.js';
import type { GraphNode } from './graph-node.js';
import { layoutOf } from './layout.js';
import { groupNames, layersOf, type NodeGroup } from './node-groups.js';
import { fit, isUpright, type Focus } from './viewport.js';

/**
 * A topology with more nodes than this is not drawn as a whole.
 * @internal Exported for tests.
 */
export const MOST_CARDS = 40;
/** Factor of nodes that are tried if their cards cannot be read. */
const FEWER = 0.84;
const LEAST_CARDS = 4;
/** A line from a cause is drawn as a whole if it is not longer. */
const MOST_IN_LINE = 16;
/** Of one node, no more neighbours than these are drawn. */
const MOST_NEIGHBOURS = 6;

export interface Drawn {
  cards: readonly GraphNode[];
  /** The other nodes. */
  groups: readonly NodeGroup[];
}

export interface Topic {
  nodes: readonly GraphNode[];
  /** The worst first. */
  unhealthy: readonly string[];
  focus: Focus;
  picked: string | null;
  panel: Size;
}

/**
 * Which nodes of a topology are drawn: all, or, if they are too many, the causes, the path of the
 * failure, other unhealthy nodes and their neighbours, as many as can be read.
 */
export function pickCards({ nodes, unhealthy, focus, picked, panel }: Topic): Drawn {
  if (nodes.length <= MOST_CARDS) return { cards: nodes, groups: [] };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const near = neighboursIn(nodes);
  const { always, line, ifRoom } = focus;
  const drawn = new Set([...always, ...line.slice(0, MOST_IN_LINE)]);
  const core = [...drawn, ...ifRoom, ...unhealthy];
  const order = new Set(
    core.length > 0 ? [...core, ...core.flatMap(near)] : entriesOf(nodes, near),
  );
  const firstOf = (count: number): GraphNode[] =>
    [...order].slice(0, count).flatMap((id) => byId.get(id) ?? []);
  const downwards = isUpright(panel);
  const canBeRead = (count: number): boolean =>
    isLegible(fit(layoutOf(firstOf(count), { downwards }), panel));
  const least = Math.max(LEAST_CARDS, drawn.size);
  let count = Math.max(MOST_CARDS, least);
  while (count > least && !canBeRead(count)) count = Math.max(least, Math.floor(count * FEWER));
  const shown = new Set(firstOf(count).map(({ id }) => id));
  // What is drawn already stays where it is.
  if (picked !== null && byId.has(picked) && !shown.has(picked))
    for (const id of [picked, ...near(picked)]) shown.add(id);
  return {
    cards: nodes.filter(({ id }) => shown.has(id)),
    groups: groupsOf(nodes, shown),
  };
}

/** If all is well: from the nodes that nothing depends on downwards. */
function entriesOf(nodes: readonly GraphNode[], near: (id: string) => string[]): string[] {
  const [first = []] = layersOf(nodes);
  const order = new Set(
    first.toSorted((a, b) => b.dependsOn.length - a.dependsOn.length).map(({ id }) => id),
  );
  // A set hands out what is added while it is read.
  for (const id of order) for (const other of near(id)) order.add(other);
  return [...order];
}

function neighboursIn(nodes: readonly GraphNode[]): (id: string) => string[] {
  const near = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { id, dependsOn } of nodes)
    for (const needed of dependsOn) {
      near.get(id)?.push(needed);
      near.get(needed)?.push(id);
    }
  return (id) => near.get(id)?.slice(0, MOST_NEIGHBOURS) ?? [];
}

function groupsOf(nodes: readonly GraphNode[], shown: ReadonlySet<string>): NodeGroup[] {
  const names = groupNames(nodes);
  const members = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    if (shown.has(node.id)) continue;
    const name = names.get(node.id) ?? '';
    const group = members.get(name) ?? [];
    group.push(node);
    members.set(name, group);
  }
  // In the order of layers; teams in that of their nodes.
  return [...new Set(names.values())].flatMap((name) => {
    const group = members.get(name);
    return group ? [{ name, members: group }] : [];
  });
}
