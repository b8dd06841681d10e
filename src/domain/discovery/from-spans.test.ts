import { expect, test } from '@jest/globals';
import { draftOf } from './draft.js';
import { foundInSpans } from './from-spans.js';

const span = (spanId: string, service: string, parentId?: string, attributes = {}) => ({
  traceId: 't',
  spanId,
  service,
  attributes,
  ...(parentId !== undefined && { parentId }),
});

test('finds calls between services, and what their clients call', () => {
  const { nodes, edges } = foundInSpans([
    span('1', 'web'),
    span('2', 'web', '1'),
    span('3', 'cart', '2'),
    span('4', 'cart', '1'),
    span('5', 'cart', '3', {
      'db.system.name': 'redis',
      'server.address': 'store',
      'server.port': '6379',
    }),
    span('6', 'web', '1', { 'messaging.system': 'kafka' }),
    { ...span('7', 'web', '3'), traceId: 'other' },
  ]);
  const draft = draftOf(nodes, edges);
  expect(draft.nodes.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    'cart workload',
    'kafka kafka',
    'store redis',
    'web workload',
  ]);
  expect(edges.map(({ node, on, from }) => `${node} > ${on}: ${from}`)).toEqual([
    'web > cart: 2 calls',
    'cart > store: one call',
    'web > kafka: one call',
  ]);
});
