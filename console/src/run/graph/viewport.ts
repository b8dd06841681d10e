import type { Size } from '../../ui/use-size.js';
import { CARD, type Layout } from './layout.js';

/** On narrow panels cards are not drawn smaller than this: the graph is dragged instead. */
const LEGIBLE = 0.88;
const NARROW = 560;
export const MARGIN = 16;
const MOST_ZOOM = 1.1;

interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** What a narrow panel shows of a graph that it has no room for. */
export interface Focus {
  /** Nodes that are always in view, if necessary at a smaller scale. */
  always: readonly string[];
  /** Nodes that are in view as far as there is room. */
  ifRoom: readonly string[];
}

/** The whole graph; in a narrow panel a part of it at a legible scale, with the focus in it. */
export function viewportOf(layout: Layout, size: Size, focus: Focus): Viewport {
  const whole = Math.min(fit(layout, size), MOST_ZOOM);
  const always = boxOf(layout, focus.always);
  const all = boxOf(layout, [...focus.ifRoom, ...focus.always]);
  let zoom = whole;
  if (size.width < NARROW) {
    const legible = always ? Math.min(LEGIBLE, fit(always, size)) : LEGIBLE;
    zoom = Math.max(whole, legible);
  }
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

const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, value));

/** The scale at which something takes up the panel. */
const fit = (box: Size, { width, height }: Size): number =>
  Math.min((width - 2 * MARGIN) / box.width, (height - 2 * MARGIN) / box.height);

/** Around the cards of these nodes; undefined without any. */
function boxOf(
  { at }: Layout,
  nodes: readonly string[],
): (Size & { x: number; y: number }) | undefined {
  const places = nodes.flatMap((node) => at.get(node) ?? []);
  if (places.length === 0) return undefined;
  const x = Math.min(...places.map((place) => place.x));
  const y = Math.min(...places.map((place) => place.y));
  return {
    x,
    y,
    width: Math.max(...places.map((place) => place.x)) + CARD.width - x,
    height: Math.max(...places.map((place) => place.y)) + CARD.height - y,
  };
}
