import { expect, test } from '@jest/globals';
import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { doubtByCallee } from './explained-node.js';

const calls = new Map([['cart', new Set(['db'])]]);
const shows = (node: string, since: number, kind: FailureKind) => ({
  node,
  since,
  kinds: [[kind, 0.8] as [FailureKind, number]],
  score: 1,
  evidence: [],
  for: [],
  against: [],
});
const scene = (kind: FailureKind, since = 1) => ({
  calls,
  failing: [
    shows('db', since, kind),
    { ...shows('cart', 2, 'timeout'), isExplained: true as const },
  ],
});

test('a change at a node that only suffers from what it calls is less suspect', () => {
  expect(doubtByCallee('cart', 'timeout-lowered', scene('slow-query'))).toEqual({
    factor: 0.4,
    against: ['db, which it calls, shows a failure of its own as early: slow query'],
  });
});

test.each([
  ['it brings about what the callee shows', 'query-heavier', scene('slow-query')],
  ['it makes load for what it calls', 'retries-raised', scene('cpu-saturated')],
  ['the callee refuses what it is asked', 'contract-renamed', scene('schema-mismatch')],
  ['the callee failed later', 'timeout-lowered', scene('slow-query', 3)],
] as const)('a change is suspect as before where %s', (_, mechanism, given) => {
  expect(doubtByCallee('cart', mechanism, given)).toEqual({ factor: 1, against: [] });
});

test('a change at the callee is suspect as before', () => {
  expect(doubtByCallee('db', 'timeout-lowered', scene('slow-query')).factor).toBe(1);
});
