import dagre from '@dagrejs/dagre';
import type { Size } from '../../ui/use-size.js';
import { sizeFor } from './card-text.js';
import type { GraphNode } from './graph-node.js';

export interface Place {
  x: number;
  y: number;
}

export interface Layout extends Size {
  /** Upper left corners. */
  at: ReadonlyMap<string, Place>;
  card: Size;
}

/** The size of cards and the least room between them. */
export interface Spacing {
  card: Size;
  /** Between cards beside each other in a rank. The tag of a root cause stands there. */
  nodes: number;
  /** Between ranks. */
  ranks: number;
}

/** @internal Exported for tests. */
export const CARD: Size = { width: 168, height: 62 };
const CARDS: Spacing = { card: CARD, nodes: 18, ranks: 34 };
const MARGIN = 6;

/**
 * Places nodes before those they depend on: at their left, or above them.
 * @param downwards for panels that are higher than they are wide
 */
export function layoutOf(
  nodes: readonly GraphNode[],
  { spacing: { card, ...spacing } = CARDS, downwards = false } = {},
): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: downwards ? 'TB' : 'LR',
    nodesep: spacing.nodes,
    ranksep: spacing.ranks,
    edgesep: 8,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = nodes.flatMap(({ id, dependsOn }) =>
    dependsOn.filter((needed) => ids.has(needed) && needed !== id).map((needed) => [id, needed]),
  );
  const joined = new Set(edges.flat());
  const alone = nodes.filter(({ id }) => !joined.has(id));
  const apart = alone.length > MOST_IN_COLUMN ? alone : [];
  const drawn = nodes.filter((node) => !apart.includes(node));
  for (const { id } of drawn) graph.setNode(id, { ...card });
  for (const [id = '', needed = ''] of edges) graph.setEdge(id, needed);
  dagre.layout(graph);
  const at = new Map<string, Place>();
  for (const { id } of drawn) {
    const { x, y } = graph.node(id) as Place;
    at.set(id, { x: x - card.width / 2, y: y - card.height / 2 });
  }
  placeApart(apart, at, { card, ...spacing }, downwards);
  return { at, card, ...sizeOf(at, card) };
}

/** More nodes that nothing is joined to stand in rows below the graph. */
const MOST_IN_COLUMN = 2;

function placeApart(
  apart: readonly GraphNode[],
  at: Map<string, Place>,
  { card, nodes, ranks }: Spacing,
  downwards: boolean,
): void {
  const drawn = sizeOf(at, card);
  const stepX = card.width + (downwards ? nodes : ranks);
  const stepY = card.height + (downwards ? ranks : nodes);
  const square = Math.ceil(Math.sqrt(apart.length * (downwards ? 0.5 : 1.5)));
  const columns = Math.max(square, Math.floor(drawn.width / stepX));
  const top = at.size > 0 ? drawn.height - MARGIN + (downwards ? ranks : nodes) : MARGIN;
  apart.forEach(({ id }, i) =>
    at.set(id, {
      x: MARGIN + (i % columns) * stepX,
      y: top + Math.floor(i / columns) * stepY,
    }),
  );
}

const MOST_STRETCH = 2.1;

/**
 * Moves columns and rows apart, and makes cards larger whose text is small, as far as a panel has
 * room at the scale at which it shows the whole graph.
 * @param drawn the scale at which the graph is drawn
 */
export function stretch(layout: Layout, panel: Size, mostZoom: number, drawn: number): Layout {
  const zoom = Math.min(panel.width / layout.width, panel.height / layout.height, mostZoom);
  const room = { width: panel.width / zoom, height: panel.height / zoom };
  const wanted = sizeFor(drawn);
  const card = {
    width: largest(layout, 'width', room.width, wanted.width),
    height: largest(layout, 'height', room.height, wanted.height),
  };
  const [x, y] = (['width', 'height'] as const).map((extent) => {
    const places = layout[extent] - layout.card[extent] - MARGIN;
    const left = room[extent] - card[extent] - MARGIN;
    return Math.min(MOST_STRETCH, Math.max(1, left / Math.max(1, places)));
  }) as [number, number];
  const at = new Map([...layout.at].map(([id, place]) => [id, { x: place.x * x, y: place.y * y }]));
  return { at, card, ...sizeOf(at, card) };
}

/**
 * How wide or high cards can be at most, if they are moved apart as far as there is room: what is
 * between a card and the next one stays.
 */
function largest(layout: Layout, extent: keyof Size, room: number, wanted: number): number {
  const size = layout.card[extent];
  const step = leastStep(layout, extent);
  if (step === Infinity) return Math.max(size, Math.min(wanted, room - MARGIN));
  const between = step - size;
  const places = layout[extent] - size - MARGIN;
  const fitting = ((step * (room - MARGIN)) / places - between) / (1 + step / places);
  return Math.max(size, Math.min(wanted, fitting, step * MOST_STRETCH - between));
}

/** From a card to the next one at its right or below it, at least. */
function leastStep({ at, card }: Layout, extent: keyof Size): number {
  const [along, across, breadth] =
    extent === 'width' ? (['x', 'y', card.height] as const) : (['y', 'x', card.width] as const);
  const places = [...at.values()];
  let step = Infinity;
  for (const one of places)
    for (const other of places)
      if (other[along] > one[along] && Math.abs(other[across] - one[across]) < breadth)
        step = Math.min(step, other[along] - one[along]);
  return step;
}

function sizeOf(at: ReadonlyMap<string, Place>, card: Size): Size {
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
