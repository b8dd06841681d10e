import { expect, it } from '@jest/globals';
import { freshBlackboard, readBlackboard } from './blackboard.js';

it('reads what was written, also by a service that knew of less', () => {
  const board = { ...freshBlackboard(), turn: 3, reasons: ['X'] };
  expect(readBlackboard(JSON.stringify(board))).toEqual(board);
  expect(readBlackboard('{"version":1,"turn":2}')).toEqual({ ...freshBlackboard(), turn: 2 });
  expect(readBlackboard(null)).toEqual(freshBlackboard());
});

it('refuses what a later service wrote', () => {
  expect(() => readBlackboard(JSON.stringify({ ...freshBlackboard(), version: 2 }))).toThrow(
    /version 2/,
  );
});
