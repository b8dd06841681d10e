import dagre from '@dagrejs/dagre';
import type { GraphNode } from './graph-node.js';

export interface Layout {
  /** Upper left corners. */
  at: ReadonlyMap<string, { x: number; y: number }>;
  width: number;
  height: number;
}

export const CARD = { width: 168, height: 42 };
const MARGIN = 6;

/** Places nodes from left to right: a node stands left of those it depends on. */
export function layoutOf(nodes: readonly GraphNode[], card = CARD): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 9,
    ranksep: 46,
    edgesep: 8,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(nodes.map(({ id }) => id));
  for (const { id } of nodes) graph.setNode(id, { ...card });
  for (const { id, dependsOn } of nodes)
    for (const needed of dependsOn) if (ids.has(needed) && needed !== id) graph.setEdge(id, needed);
  dagre.layout(graph);
  const at = new Map<string, { x: number; y: number }>();
  for (const { id } of nodes) {
    const { x, y } = graph.node(id) as { x: number; y: number };
    at.set(id, { x: x - card.width / 2, y: y - card.height / 2 });
  }
  return { at, ...sizeOf(at, card) };
}

const MOST_STRETCH = 2.1;

/**
 * Moves columns or rows apart, as far as a panel of these proportions (width by height) has room.
 */
export function stretch(layout: Layout, aspect: number, card = CARD): Layout {
  const own = layout.width / layout.height;
  const x = Math.min(MOST_STRETCH, Math.max(1, aspect / own));
  const y = Math.min(MOST_STRETCH, Math.max(1, own / aspect));
  const at = new Map([...layout.at].map(([id, place]) => [id, { x: place.x * x, y: place.y * y }]));
  return { at, ...sizeOf(at, card) };
}

function sizeOf(
  at: ReadonlyMap<string, { x: number; y: number }>,
  card: { width: number; height: number },
): { width: number; height: number } {
  let width = 0;
  let height = 0;
  for (const { x, y } of at.values()) {
    width = Math.max(width, x + card.width + MARGIN);
    height = Math.max(height, y + card.height + MARGIN);
  }
  return { width: Math.max(1, width), height: Math.max(1, height) };
}

/** What layouts of the same nodes have in common. */
export const shapeOf = (nodes: readonly GraphNode[]): string =>
  nodes.map(({ id, dependsOn }) => `${id}:${dependsOn.join()}`).join('|');
