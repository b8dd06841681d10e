import { expect, test } from '@jest/globals';
import { lockSessionIn, rootBlockers } from './lock-chain.js';

const session = (pid: number, waited: number, ...blockers: number[]) =>
  lockSessionIn(
    { pid, blockers, state: blockers.length > 0 ? 'active' : 'idle', waited_s: waited },
    (query) => query,
  );

test('a chain is led back to the session that waits for nothing', () => {
  const roots = rootBlockers([
    session(2461, 3, 2460),
    session(2460, 9, 2459),
    session(2459, 12, 2359),
    session(2359, 40),
    session(7, 1, 8),
    session(8, 2),
  ]);
  expect(roots.map((root) => [root.session.pid, root.waiting.map(({ pid }) => pid)])).toEqual([
    [2359, [2459, 2460, 2461]],
    [8, [7]],
  ]);
});

test('a cycle is a deadlock, which has no root', () => {
  expect(rootBlockers([session(1, 1, 2), session(2, 1, 1)])).toEqual([]);
});
