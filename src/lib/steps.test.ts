import { expect, it } from '@jest/globals';
import { allAtOnce, type Steps } from './steps.js';

it('does all steps of a work and returns its result', () => {
  const done: number[] = [];
  function* count(to: number): Steps<string> {
    for (let i = 1; i <= to; i++) {
      done.push(i);
      yield;
    }
    return `counted to ${to}`;
  }
  expect(allAtOnce(count(3))).toBe('counted to 3');
  expect(done).toEqual([1, 2, 3]);
});
