import { expect, it } from '@jest/globals';
import { CARD, type Layout } from '../../console/src/run/graph/layout.js';
import {
  NO_FOCUS,
  outsideOf,
  viewportOf,
  type Focus,
} from '../../console/src/run/graph/viewport.js';

const PHONE = { width: 368, height: 724 };
const COLUMN = 214;
const ROW = 120;

/** Four columns of four nodes: `c2r0` is in the third column, at the top. */
const at = new Map<string, { x: number; y: number }>();
for (let column = 0; column < 4; column++)
  for (let row = 0; row < 4; row++)
    at.set(`c${column}r${row}`, { x: 6 + column * COLUMN, y: 6 + row * ROW });
const LAYOUT: Layout = { at, card: CARD, width: 4 * COLUMN - 34, height: 4 * ROW - 46 };

/** The nodes whose cards are in the panel as a whole. */
function shown(part: Partial<Focus>, size = PHONE): string[] {
  const { x, y, zoom } = viewportOf(LAYOUT, size, { ...NO_FOCUS, ...part });
  const isIn = (start: number, length: number, room: number): boolean =>
    start >= 0 && start + length * zoom <= room;
  return [...at]
    .filter(
      ([, place]) =>
        isIn(x + place.x * zoom, CARD.width, size.width) &&
        isIn(y + place.y * zoom, CARD.height, size.height),
    )
    .map(([id]) => id);
}

it('shows the whole graph in a panel that is wide', () => {
  const wide = { width: 900, height: 600 };
  expect(shown({ always: ['c3r0'] }, wide)).toHaveLength(16);
});

const LEGIBLE = 0.62;

it('shows the path in a narrow panel that has room for it, at a legible scale', () => {
  const focus = { ...NO_FOCUS, always: ['c2r3'], line: ['c2r3', 'c1r2'], ifRoom: ['c1r0'] };
  expect(shown(focus)).toEqual(expect.arrayContaining(['c2r3', 'c1r2', 'c1r0']));
  expect(viewportOf(LAYOUT, PHONE, focus).zoom).toBe(LEGIBLE);
});

it('shows all causes, and of a path that is too long what is next to them', () => {
  const causes = ['c3r0', 'c3r3'];
  const focus = { ...NO_FOCUS, always: causes, line: ['c3r0', 'c2r1', 'c1r1', 'c0r1'] };
  expect(shown(focus)).toEqual(expect.arrayContaining(['c2r1', 'c3r0', 'c3r3']));
  expect(shown(focus)).not.toContain('c0r1');
  expect(viewportOf(LAYOUT, PHONE, focus).zoom).toBe(LEGIBLE);
});

it('counts by side what is out of view', () => {
  const panel = { width: 300, height: 300 };
  const viewport = { x: -300, y: 0, zoom: 1 };
  expect(outsideOf(LAYOUT, viewport, panel)).toEqual({ left: 4, right: 4, above: 0, below: 2 });
});

it('shows causes that are far apart at a smaller scale', () => {
  const causes = ['c0r0', 'c3r3'];
  const { zoom } = viewportOf(LAYOUT, PHONE, { ...NO_FOCUS, always: causes });
  expect(shown({ always: causes })).toEqual(expect.arrayContaining(causes));
  expect(zoom).toBeLessThan(LEGIBLE);
});

it('shows the middle of the graph in a narrow panel if nothing was found', () => {
  const { x, zoom } = viewportOf(LAYOUT, PHONE, NO_FOCUS);
  expect(x + (LAYOUT.width * zoom) / 2).toBeCloseTo(PHONE.width / 2);
});
