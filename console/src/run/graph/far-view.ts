import type { Health } from '../../model/types.js';
import type { Size } from '../../ui/use-size.js';

/**
 * Below these zooms a card has no room for its symbol; for its name: names stand below the cards,
 * as large as elsewhere.
 */
const STEPS = { small: 0.86, far: 0.5 };
/** Below this zoom cards have little room for more than their names. */
const LEGIBLE = 0.62;

export const isSmall = (zoom: number): boolean => zoom < STEPS.small;
export const isFar = (zoom: number): boolean => zoom < STEPS.far;

/** Whether cards say more than their names. */
export const isLegible = (zoom: number): boolean => zoom >= LEGIBLE;

/** The classes of a graph that is so far away. */
export const farClasses = (zoom: number): string[] =>
  Object.entries(STEPS).flatMap(([step, below]) => (zoom < below ? [`is-${step}`] : []));

/** A card as its name is placed. */
export interface FarCard {
  id: string;
  name: string;
  health: Health;
  /** Its upper left corner. */
  at: { x: number; y: number };
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Whose names come first. */
const ORDER: readonly Health[] = ['root', 'critical', 'warning'];

/** The unhealthy ones of some nodes, the worst first. */
export const unhealthyOf = <T extends { health: Health }>(nodes: readonly T[]): T[] =>
  nodes
    .filter(({ health }) => ORDER.includes(health))
    .toSorted((a, b) => ORDER.indexOf(a.health) - ORDER.indexOf(b.health));

/**
 * Of a name below its card, in pixels: its height, what a letter takes at most, and where it is
 * cut.
 */
const NAME = { height: 17, letter: 7.2, padding: 6, most: 132 };

/**
 * The nodes whose names are shown from afar: those that are unhealthy, the worst first, as far as a
 * name covers no other one and, unless it is of a root cause, no mark of another node that is
 * unhealthy.
 * @param size of the cards
 */
export function namedFromAfar(cards: readonly FarCard[], size: Size, zoom: number): Set<string> {
  const named = new Set<string>();
  if (!isFar(zoom)) return named;
  const unhealthy = unhealthyOf(cards);
  const marks = unhealthy.map((card) => ({ id: card.id, box: markOf(card, size, zoom) }));
  const names: Box[] = [];
  for (const card of unhealthy) {
    const name = nameOf(card, size, zoom);
    if (names.some((other) => overlap(name, other))) continue;
    const covers = marks.some(({ id, box }) => id !== card.id && overlap(name, box));
    if (covers && card.health !== 'root') continue;
    names.push(name);
    named.add(card.id);
  }
  return named;
}

function markOf({ at }: FarCard, size: Size, zoom: number): Box {
  const left = at.x * zoom;
  const top = at.y * zoom;
  return { left, top, right: left + size.width * zoom, bottom: top + size.height * zoom };
}

function nameOf(card: FarCard, size: Size, zoom: number): Box {
  const { left, right, bottom } = markOf(card, size, zoom);
  const width = Math.min(NAME.most, card.name.length * NAME.letter + NAME.padding);
  const middle = (left + right) / 2;
  return {
    left: middle - width / 2,
    right: middle + width / 2,
    top: bottom,
    bottom: bottom + NAME.height,
  };
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
