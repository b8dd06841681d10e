import { describe, expect, it } from '@jest/globals';
import { isLegible } from '../../console/src/run/graph/far-view.js';
import type { GraphNode } from '../../console/src/run/graph/graph-node.js';
import { lettersIn, linesIn } from '../../console/src/run/graph/card-text.js';
import { CARD, layoutOf, stretch } from '../../console/src/run/graph/layout.js';
import { healthCounts, layersOf } from '../../console/src/run/graph/node-groups.js';
import { MOST_CARDS, pickCards } from '../../console/src/run/graph/pick-cards.js';
import { tilesOf } from '../../console/src/run/graph/tiles.js';
import { fit, MOST_ZOOM, NO_FOCUS, roomIn } from '../../console/src/run/graph/viewport.js';

const PANEL = { width: 880, height: 220 };
const node = (id: string, dependsOn: string[] = [], team?: string): GraphNode => ({
  id,
  name: id,
  kind: 'service',
  dependsOn,
  ...(team !== undefined && { team }),
});

/** Each node needs the next four that have no parent. */
const tree = (size: number, teamOf?: (i: number) => string): GraphNode[] =>
  Array.from({ length: size }, (_, i) =>
    node(
      `n${i}`,
      [1, 2, 3, 4].flatMap((k) => (4 * i + k < size ? [`n${4 * i + k}`] : [])),
      teamOf?.(i),
    ),
  );
const LINE = ['n250', 'n62', 'n15', 'n3', 'n0'];
const topic = {
  nodes: tree(500),
  unhealthy: LINE,
  focus: { always: ['n250'], line: LINE, ifRoom: LINE },
  picked: null,
  panel: PANEL,
};
const idsOf = (nodes: readonly GraphNode[]): string[] => nodes.map(({ id }) => id);

describe('the cards of a large topology', () => {
  it('are all nodes, if these are few', () => {
    const nodes = tree(MOST_CARDS);
    expect(pickCards({ ...topic, nodes })).toEqual({ cards: nodes, groups: [] });
  });

  it('are the path to the cause and its neighbours, as many as can be read', () => {
    const { cards, groups } = pickCards(topic);
    expect(idsOf(cards)).toEqual(expect.arrayContaining(LINE));
    expect(cards.length).toBeGreaterThan(LINE.length);
    expect(isLegible(fit(layoutOf(cards), PANEL))).toBe(true);
    const others = groups.flatMap(({ members }) => members);
    expect(cards.length + others.length).toBe(500);
    expect(new Set(idsOf([...cards, ...others])).size).toBe(500);
  });

  it('are the whole path, even if it is too long to be read at once', () => {
    const nodes = Array.from({ length: 60 }, (_, i) => node(`n${i}`, [`n${i + 1}`]));
    const line = idsOf(nodes).slice(20, 32).toReversed();
    const focus = { always: ['n31'], line, ifRoom: [] };
    const { cards } = pickCards({ ...topic, nodes, focus, unhealthy: line });
    expect(idsOf(cards)).toEqual(expect.arrayContaining(line));
  });

  it('are those that nothing depends on and what is below them, if all is well', () => {
    const { cards } = pickCards({ ...topic, unhealthy: [], focus: NO_FOCUS });
    expect(idsOf(cards)).toEqual(expect.arrayContaining(['n0', 'n1', 'n2']));
  });

  it('are a picked node and its neighbours, too; what is drawn already stays', () => {
    const drawn = pickCards(topic);
    const { cards } = pickCards({ ...topic, picked: 'n40' });
    expect(idsOf(cards)).toEqual(expect.arrayContaining([...idsOf(drawn.cards), 'n40', 'n161']));
    expect(pickCards({ ...topic, picked: 'n15' })).toEqual(drawn);
  });
});

describe('the groups of nodes that are not drawn', () => {
  it('are teams, or layers if there are no teams or too many', () => {
    const named = (teams: number): string[] => {
      const nodes = tree(500, (i) => `team ${i % teams}`);
      return pickCards({ ...topic, nodes }).groups.map(({ name }) => name);
    };
    expect(named(3)).toEqual(['team 0', 'team 1', 'team 2']);
    expect(named(100)).toEqual(named(1));
    expect(named(1)).toEqual(['Layer 2', 'Layer 3', 'Layer 4', 'Layer 5', 'Layer 6']);
  });

  it('have each node in one layer, in cycles, too', () => {
    const cycle = [node('a', ['b']), node('b', ['c']), node('c', ['b']), node('d', ['e'])];
    const lost = [node('e', ['e']), node('x', ['y']), node('y', ['x'])];
    expect(layersOf([...cycle, ...lost]).map(idsOf)).toEqual([
      ['a', 'd'],
      ['b', 'e'],
      ['c'],
      ['x'],
      ['y'],
    ]);
  });

  it('say how many are of which health, and what is not known before what is well', () => {
    const group = { name: 'g', members: [node('a'), node('b'), node('c')] };
    expect(healthCounts(group, (id) => (id === 'b' ? 'unchecked' : 'ok'))).toEqual([
      ['unchecked', 1],
      ['ok', 2],
    ]);
  });
});

describe('a layout', () => {
  it('leaves room for the tag of a root cause between cards beside each other', () => {
    const { at } = layoutOf([node('web', ['a', 'b']), node('a'), node('b')]);
    const [upper = 0, lower = 0] = [at.get('a')?.y, at.get('b')?.y].toSorted();
    expect(Math.abs(lower - upper) - CARD.height).toBeGreaterThanOrEqual(16);
  });

  it('is stretched in both directions until the panel is full', () => {
    const panel = roomIn({ width: 880, height: 330 });
    const three = [node('a'), node('b'), node('c')];
    const layout = stretch(
      layoutOf([node('w', ['a', 'b', 'c']), ...three]),
      panel,
      MOST_ZOOM,
      MOST_ZOOM,
    );
    expect(layout.height * MOST_ZOOM).toBeCloseTo(panel.height, 0);
    expect(layout.width * MOST_ZOOM).toBeGreaterThan(panel.width / 2);
  });

  it('has higher cards if text is small in its scale, and room between them all the same', () => {
    const base = layoutOf([node('w', ['a', 'b']), node('a'), node('b')]);
    const zoom = 0.64;
    const { at, card } = stretch(base, { width: base.width * zoom, height: 300 }, 1, zoom);
    expect(linesIn(CARD.height, zoom)).toBeLessThan(4);
    expect(linesIn(card.height, zoom)).toBe(4);
    const [upper = 0, lower = 0] = [at.get('a')?.y, at.get('b')?.y].toSorted();
    expect(Math.abs(lower - upper) - card.height).toBeGreaterThanOrEqual(16);
  });

  it('has higher cards only as far as there is room', () => {
    const base = layoutOf([node('w', ['a', 'b']), node('a'), node('b')]);
    const room = { width: base.width * 0.64, height: (base.height + 9) * 0.64 };
    const { card, height } = stretch(base, room, 1, 0.64);
    expect(card.height).toBeGreaterThan(CARD.height);
    expect(card.height).toBeLessThan(CARD.height + 9);
    expect(height).toBeLessThanOrEqual(base.height + 9);
  });

  it('has wider cards if only its height makes it small', () => {
    const needed = Array.from({ length: 7 }, (_, i) => node(`n${i}`));
    const base = layoutOf([
      node(
        'w',
        needed.map(({ id }) => id),
      ),
      ...needed,
    ]);
    const zoom = 0.54;
    const { card, width } = stretch(base, { width: 880, height: base.height * zoom }, 1, zoom);
    expect(card.height).toBeLessThan(CARD.height + 1);
    expect(card.width * zoom).toBeGreaterThan(CARD.width * zoom * 1.3);
    expect(width * zoom).toBeLessThanOrEqual(880);
    expect(lettersIn(card.width, zoom)).toBeGreaterThan(lettersIn(CARD.width, zoom));
  });

  it('goes downwards in a panel that is high', () => {
    const { at } = layoutOf([node('web', ['db']), node('db')], { downwards: true });
    expect(at.get('db')?.x).toBe(at.get('web')?.x);
    expect(at.get('db')?.y).toBeGreaterThan(at.get('web')?.y ?? Infinity);
  });

  it('puts nodes that nothing is joined to in rows, not in one column', () => {
    const { width, height } = layoutOf(Array.from({ length: 9 }, (_, i) => node(`n${i}`)));
    expect(width).toBeGreaterThan(2 * CARD.width);
    expect(height).toBeLessThan(9 * CARD.height);
  });
});

it('shows a large topology without words as squares that are seen, all within its bounds', () => {
  const size = { width: 300, height: 110 };
  const tiles = tilesOf(tree(500), (id) => (id === 'n250' ? 'root' : 'ok'), size);
  expect(tiles.map(([health]) => health)).toEqual(['ok', 'root']);
  const squares = tiles.flatMap(([, path]) => [...path.matchAll(/M([\d.]+) ([\d.]+)h(\d+)/g)]);
  expect(squares).toHaveLength(500);
  for (const [, x, y, side] of squares) {
    expect(Number(side)).toBeGreaterThanOrEqual(4);
    expect(Number(x) + Number(side)).toBeLessThanOrEqual(size.width);
    expect(Number(y) + Number(side)).toBeLessThanOrEqual(size.height);
  }
});
