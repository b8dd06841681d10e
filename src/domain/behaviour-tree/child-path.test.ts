import { expect, it } from '@jest/globals';
import { childPath } from './child-path.js';

it('is the path of the node and the number of the child', () => {
  expect([childPath('0', 0), childPath('0.0', 12), childPath('0', 0)]).toEqual([
    '0.0',
    '0.0.12',
    '0.0',
  ]);
});

it('is the same for a node with more children, and in a tree with more nodes, than are kept', () => {
  for (let at = 0; at < 5_000; at++) {
    expect(childPath('0.1', at)).toBe(`0.1.${at}`);
    expect(childPath(`0.2.${at}`, 1)).toBe(`0.2.${at}.1`);
  }
});
