import { expect, it } from '@jest/globals';
import { freshBlackboard, readBlackboard } from './blackboard.js';

it('reads checkpoints of this version and of an older one', () => {
  const board = { ...freshBlackboard(), turn: 3, reasons: ['X'] };
  expect(readBlackboard(JSON.stringify(board))).toEqual(board);
  expect(readBlackboard('{"version":1,"turn":2}')).toEqual({ ...freshBlackboard(), turn: 2 });
  expect(readBlackboard(null)).toEqual(freshBlackboard());
});

it('refuses a checkpoint of a later version', () => {
  expect(() => readBlackboard(JSON.stringify({ ...freshBlackboard(), version: 2 }))).toThrow(
    /version 2/,
  );
});
