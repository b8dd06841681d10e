import { expect, test } from '@jest/globals';
import { observed } from '../../../../test/support/observations.js';
import type { Span } from '../records.js';
import { placeUntracedCalls } from './untraced-callees.js';

const { nodes } = observed();
const span = (spanId: string, attributes: Record<string, string>, parentId?: string): Span => ({
  ...{ traceId: 't', spanId, node: 'cart', name: spanId, start: 0, durationMs: 5, attributes },
  ...(parentId !== undefined && { parentId }),
});
const nodesOf = (...spans: Span[]) => placeUntracedCalls(spans, nodes).map(({ node }) => node);

test.each([
  ['peer.service', 'db'],
  ['server.address', 'db.shop.svc.cluster.local'],
  ['net.peer.name', 'DB:5432'],
])('gives a call whose %s is %s to the node that it names', (name, value) => {
  expect(nodesOf(span('GET /', {}), span('SELECT', { [name]: value }, 'GET /'))).toEqual([
    'cart',
    'db',
  ]);
});

test('leaves a call of a node that writes spans, one with spans below it, and one of a stranger', () => {
  const shop = { ...span('GET /', {}), node: 'shop' };
  expect(nodesOf(shop, span('POST', { 'peer.service': 'shop' }))).toEqual(['shop', 'cart']);
  const above = span('SELECT', { 'peer.service': 'db' });
  expect(nodesOf(above, span('below', {}, 'SELECT'))).toEqual(['cart', 'cart']);
  expect(nodesOf(span('POST', { 'peer.service': 'api.example.com' }))).toEqual(['cart']);
});
