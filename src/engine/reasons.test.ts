import { expect, test } from '@jest/globals';
import { observed } from '../../test/support/incidents/observations.js';
import type { FailingNode } from './first-failing.js';
import type { RankedCause } from './ranking.js';
import { withReasons } from './reasons.js';
import type { Sign } from './signs/sign.js';

const nodes = [
  { id: 'shop', name: 'shop', dependsOn: ['cart'] },
  { id: 'cart', name: 'cart', dependsOn: ['cache', 'db'] },
  ...['cache', 'db'].map((id) => ({ id, name: id, dependsOn: [] })),
];
const cause = (node: string, more: Partial<RankedCause> = {}): RankedCause => ({
  node,
  kind: 'latency',
  score: 5,
  confidence: 0.8,
  title: 'is slow',
  for: ['is slow'],
  against: [],
  ...more,
});
const shows = (node: string, more: Partial<Sign> = {}): FailingNode => ({
  node,
  score: 1,
  kinds: [],
  for: [],
  against: [],
  evidence: [
    {
      node,
      from: 'metric',
      kind: 'cache',
      tells: 0.85,
      weight: 1.1,
      spreads: false,
      says: 'it evicts',
      ...more,
    },
  ],
});
const firstOf = (ranked: RankedCause[], ...failing: FailingNode[]) =>
  withReasons(observed({ nodes }), ranked, failing)[0];

test('a resource of the slow node says why it is slow', () => {
  const throttled = shows('cart', { kind: 'cpu-throttled', says: 'it is throttled' });
  expect(firstOf([cause('cart')], shows('cache'), throttled)).toMatchObject({
    node: 'cart',
    kind: 'cpu-throttled',
    title: 'it is throttled',
    confidence: 0.8,
    for: ['it is throttled', 'is slow'],
  });
});

test('so does one of what a slow node calls, and not of what calls it', () => {
  expect(firstOf([cause('cart')], shows('cache'))).toMatchObject({ node: 'cache', kind: 'cache' });
  expect(firstOf([cause('cart')], shows('shop'))).toMatchObject({ node: 'cart', kind: 'latency' });
});

test('a cache that misses explains why its readers load what is behind it', () => {
  expect(firstOf([cause('db')], shows('cache'))).toMatchObject({ node: 'db' });
  const loaded = cause('db', { loadedBy: ['cart'] });
  expect(firstOf([loaded], shows('cache'))).toMatchObject({ node: 'cache', kind: 'cache' });
});

test('what a node calls does not say why the node itself throws', () => {
  const thrown = cause('cart', { kind: 'exception' });
  expect(firstOf([thrown], shows('cache'))).toMatchObject({ node: 'cart', kind: 'exception' });
});

test.each<Partial<Sign>>([
  { from: 'caller' },
  { spreads: true },
  { tells: 0.5 },
  { weight: 0.5 },
  { kind: 'timeout' },
])('no reason is a sign with %j', (more) => {
  expect(firstOf([cause('cart')], shows('cart', more))).toEqual(cause('cart'));
});
