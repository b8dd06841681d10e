import { expect, test } from '@jest/globals';
import { observed } from '../../../test/support/incidents/observations.js';
import type { Span } from '../../domain/telemetry/records.js';
import { placeUntracedCalls } from './untraced-callees.js';

const { nodes } = observed();
const span = (spanId: string, attributes: Record<string, string>, parentId?: string): Span => ({
  traceId: 't',
  spanId,
  node: 'cart',
  name: spanId,
  start: 0,
  durationMs: 5,
  attributes,
  ...(parentId !== undefined && { parentId }),
});
/**
 * A call of the cart to the shop, in a trace of its own; of one that is answered, with the span of
 * the shop below it.
 */
const callOf = (traceId: string, more: Partial<Span>, isAnswered = false): Span[] => {
  const call = { ...span('call', { 'peer.service': 'shop' }), traceId, ...more };
  const answer = { ...span('answer', {}, 'call'), traceId, node: 'shop' };
  return isAnswered ? [call, answer] : [call];
};
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

test.each([
  ['connect: connection refused', 'shop'],
  ['SSLHandshakeException: PKIX path validation failed', 'shop'],
  ['', 'shop'],
  ['HikariPool-1 - Connection is not available, request timed out', 'cart'],
  ['java.lang.NullPointerException', 'cart'],
])('gives a call that fails with "%s" and used to be answered to %s', (error, node) => {
  const [, , failed] = nodesOf(...callOf('t1', {}, true), ...callOf('t2', { error }));
  expect(failed).toBe(node);
});

test('leaves a failed call whose far end was never seen to answer it', () => {
  const other = { ...span('GET /', {}), node: 'shop' };
  expect(nodesOf(other, ...callOf('t1', { error: 'refused' }))).toEqual(['shop', 'cart']);
});
