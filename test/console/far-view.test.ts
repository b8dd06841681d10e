import { describe, expect, it } from '@jest/globals';
import type { Health } from '../../console/src/model/types.js';
import { CARD } from '../../console/src/run/graph/layout.js';
import { namedFromAfar, type FarCard } from '../../console/src/run/graph/far-view.js';

const card = (id: string, health: Health, x: number, y: number): FarCard => ({
  id,
  health,
  name: `name of ${id}`,
  at: { x, y },
});
const FAR = 0.3;

describe('names of a graph that is far away', () => {
  it('are those of nodes that are unhealthy', () => {
    const cards = [card('a', 'ok', 0, 0), card('b', 'warning', 900, 0), card('c', 'root', 0, 900)];
    expect([...namedFromAfar(cards, CARD, FAR)]).toEqual(['c', 'b']);
  });

  it('are in the cards if these can be read', () => {
    expect(namedFromAfar([card('a', 'critical', 0, 0)], CARD, 0.7).size).toBe(0);
  });

  it('do not cover each other: the worst of neighbours is named', () => {
    const row = [
      card('a', 'warning', 0, 0),
      card('b', 'root', 214, 0),
      card('c', 'critical', 428, 0),
    ];
    expect([...namedFromAfar(row, CARD, FAR)]).toEqual(['b']);
  });

  it('cover no mark of another node that is unhealthy, unless they are of a root cause', () => {
    const column = (upper: Health) => [card('a', upper, 0, 0), card('b', 'warning', 0, 51)];
    expect([...namedFromAfar(column('critical'), CARD, FAR)]).toEqual(['b']);
    expect([...namedFromAfar(column('root'), CARD, FAR)]).toEqual(['a']);
  });
});
