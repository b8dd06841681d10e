import type { Size } from '../../ui/use-size.js';
import type { Layout, Place } from './layout.js';

/** On narrow panels cards are not drawn smaller than this: the graph is dragged instead. */
const LEGIBLE = 0.62;
/** If this shows the whole line to a cause, cards are drawn as small as this. */
const SMALLEST = 0.5;
const NARROW = 560;
const MARGIN = 16;
export const MOST_ZOOM = 1.1;

export interface Viewport extends Place {
  zoom: number;
}

/** What matters most in a graph. */
export interface Focus {
  /** Nodes that are always in view, if necessary at a smaller scale. */
  always: readonly string[];
  /** From a cause to the outermost node that it shows at: drawn as a whole. */
  line: readonly string[];
  /** Nodes that are in view as far as there is room, those that matter most first. */
  ifRoom: readonly string[];
}

export const NO_FOCUS: Focus = { always: [], line: [], ifRoom: [] };

/** A panel that is narrow and high shows a graph from top to bottom. */
export const isUpright = (panel: Size): boolean =>
  panel.width < NARROW && panel.height > panel.width;

/** What is left of a panel, in the scale of the graph. */
const roomAt = (panel: Size, zoom: number): Size => {
  const { width, height } = roomIn(panel);
  return { width: width / zoom, height: height / zoom };
};

/** The nodes of the focus that fit the room together, those that matter most first. */
function seenAtOnce(layout: Layout, room: Size, { always, line, ifRoom }: Focus): string[] {
  const seen = [...always];
  for (const node of [...line, ...ifRoom]) {
    const box = boxOf(layout, [...seen, node]);
    if (box && box.width <= room.width && box.height <= room.height) seen.push(node);
  }
  return seen;
}

/** What is left of a panel within its margins. */
export const roomIn = ({ width, height }: Size): Size => ({
  width: Math.max(1, width - 2 * MARGIN),
  height: Math.max(1, height - 2 * MARGIN),
});

/** The scale at which something takes up the panel. */
export function fit(box: Size, panel: Size): number {
  const room = roomIn(panel);
  return Math.min(room.width / box.width, room.height / box.height);
}

/** The whole graph; in a narrow panel a part of it at a legible scale, with the focus in it. */
export function viewportOf(layout: Layout, size: Size, focus: Focus): Viewport {
  const whole = Math.min(fit(layout, size), MOST_ZOOM);
  const always = boxOf(layout, focus.always);
  let zoom = whole;
  if (size.width < NARROW) {
    const line = boxOf(layout, [...focus.always, ...focus.line]);
    const forLine = line ? fit(line, size) : LEGIBLE;
    const legible = clamp(forLine, forLine < SMALLEST ? LEGIBLE : SMALLEST, LEGIBLE);
    zoom = Math.max(whole, always ? Math.min(legible, fit(always, size)) : legible);
  }
  const all = boxOf(layout, seenAtOnce(layout, roomAt(size, zoom), focus));
  const startOf = (axis: 'x' | 'y', extent: 'width' | 'height'): number => {
    const room = size[extent];
    const centred = (room - layout[extent] * zoom) / 2;
    if (!always || !all || layout[extent] * zoom <= room) return centred;
    const inView = (start: number, from: number, length: number): number =>
      clamp(start, MARGIN - from * zoom, room - MARGIN - (from + length) * zoom);
    const onAll = room / 2 - (all[axis] + all[extent] / 2) * zoom;
    const onFocus = inView(onAll, always[axis], always[extent]);
    // Nothing but a margin is shown beyond the graph.
    return clamp(onFocus, room - MARGIN - layout[extent] * zoom, MARGIN);
  };
  return { x: startOf('x', 'width'), y: startOf('y', 'height'), zoom };
}

export type Side = 'left' | 'right' | 'above' | 'below';

/** How many cards of a graph have their middle outside of a panel, by the side where they are. */
export function outsideOf(
  { at, card }: Layout,
  { x, y, zoom }: Viewport,
  { width, height }: Size,
): Record<Side, number> {
  const outside = { left: 0, right: 0, above: 0, below: 0 };
  for (const place of at.values()) {
    const middleX = x + (place.x + card.width / 2) * zoom;
    const middleY = y + (place.y + card.height / 2) * zoom;
    if (middleX < 0) outside.left++;
    else if (middleX > width) outside.right++;
    else if (middleY < 0) outside.above++;
    else if (middleY > height) outside.below++;
  }
  return outside;
}

const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, value));

/** Around the cards of these nodes; undefined without any. */
function boxOf({ at, card }: Layout, nodes: readonly string[]): (Size & Place) | undefined {
  const places = nodes.flatMap((node) => at.get(node) ?? []);
  if (places.length === 0) return undefined;
  const x = Math.min(...places.map((place) => place.x));
  const y = Math.min(...places.map((place) => place.y));
  return {
    x,
    y,
    width: Math.max(...places.map((place) => place.x)) + card.width - x,
    height: Math.max(...places.map((place) => place.y)) + card.height - y,
  };
}
