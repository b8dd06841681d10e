import { expect, it } from '@jest/globals';
import { DrawTurns } from '../../console/src/run/draw-turns.js';

it('draws one part in a frame, each once, in the order of the requests', () => {
  const turns = new DrawTurns();
  const drawn: string[] = [];
  for (const part of ['header', 'graph', 'report']) turns.ask(() => drawn.push(part), 0);
  turns.take(16);
  expect(drawn).toEqual(['header']);
  turns.take(33);
  turns.take(50);
  expect(drawn).toEqual(['header', 'graph', 'report']);
  expect(turns.areWaited).toBe(false);
  turns.take(66);
  expect(drawn).toHaveLength(3);
});

it('passes over a part that was drawn a moment ago', () => {
  const turns = new DrawTurns();
  const drawn: string[] = [];
  turns.ask(() => drawn.push('header'), 200);
  turns.ask(() => drawn.push('graph'), 100);
  expect(turns.areDue(99)).toBe(false);
  turns.take(100);
  expect(drawn).toEqual(['graph']);
  expect(turns.areDue(200)).toBe(true);
});

it('draws no part that has given its turn up', () => {
  const turns = new DrawTurns();
  const giveUp = turns.ask(() => expect('').toBe('not drawn'), 0);
  giveUp();
  expect(turns.areWaited).toBe(false);
  turns.take(16);
});
