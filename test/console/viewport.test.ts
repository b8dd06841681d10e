import { expect, it } from '@jest/globals';
import { CARD, type Layout } from '../../console/src/run/graph/layout.js';
import { viewportOf, type Focus } from '../../console/src/run/graph/viewport.js';

const PHONE = { width: 368, height: 724 };
const COLUMN = 214;
const ROW = 110;

/** Four columns of four nodes: `c2r0` is in the third column, at the top. */
const at = new Map<string, { x: number; y: number }>();
for (let column = 0; column < 4; column++)
  for (let row = 0; row < 4; row++)
    at.set(`c${column}r${row}`, { x: 6 + column * COLUMN, y: 6 + row * ROW });
const LAYOUT: Layout = { at, width: 4 * COLUMN - 34, height: 4 * ROW - 56 };

/** The nodes whose cards are in the panel as a whole. */
function shown(focus: Focus, size = PHONE): string[] {
  const { x, y, zoom } = viewportOf(LAYOUT, size, focus);
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
  expect(shown({ always: ['c3r0'], ifRoom: [] }, wide)).toHaveLength(16);
});

it('shows the path in a narrow panel that has room for it, at a legible scale', () => {
  const focus = { always: ['c2r3'], ifRoom: ['c1r0', 'c1r2', 'c2r3'] };
  expect(shown(focus)).toEqual(expect.arrayContaining(focus.ifRoom));
  expect(viewportOf(LAYOUT, PHONE, focus).zoom).toBe(0.88);
});

it('shows all causes, and of a path that is too long as much as there is room for', () => {
  const causes = ['c3r0', 'c3r3'];
  const path = ['c0r1', 'c1r1', 'c2r1', ...causes];
  const focus = { always: causes, ifRoom: path };
  expect(shown(focus)).toEqual(expect.arrayContaining(['c2r1', 'c3r0', 'c3r3']));
  expect(viewportOf(LAYOUT, PHONE, focus).zoom).toBe(0.88);
});

it('shows causes that are far apart at a smaller scale', () => {
  const causes = ['c0r0', 'c2r3'];
  const { zoom } = viewportOf(LAYOUT, PHONE, { always: causes, ifRoom: causes });
  expect(shown({ always: causes, ifRoom: causes })).toEqual(expect.arrayContaining(causes));
  expect(zoom).toBeLessThan(0.88);
});

it('shows the middle of the graph in a narrow panel if nothing was found', () => {
  const { x, zoom } = viewportOf(LAYOUT, PHONE, { always: [], ifRoom: [] });
  expect(x + (LAYOUT.width * zoom) / 2).toBeCloseTo(PHONE.width / 2);
});
