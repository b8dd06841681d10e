import { describe, expect, it } from '@jest/globals';
import { nodeOfAlert, nodesNamedIn } from './alert-subject.js';

const nodes = ['orders', 'orders-db', 'web'].map((id) => ({
  ...{ id, name: `The ${id}`, dependsOn: [] },
}));
const alertOf = (labels: Record<string, string>, summary = '') => ({
  nodes,
  alerts: [{ labels, annotations: { summary } }],
});

describe('nodeOfAlert', () => {
  it.each([
    [{ service: 'orders' }, 'orders'],
    [{ job: 'orders-db', instance: '10.0.0.1:9100' }, 'orders-db'],
    [{ service: 'prometheus', deployment: 'web' }, 'web'],
    [{ pod: 'orders-6f7c9d4b8-x2v5k' }, 'orders'],
    [{ instance: 'web:8080' }, 'web'],
    [{ service: 'billing' }, 'billing'],
    [{ service: 'The web' }, 'web'],
  ])('reads the labels %j', (labels, node) => {
    expect(nodeOfAlert(alertOf(labels))).toBe(node);
  });

  it('reads the texts if no label names a node, and only if they name one', () => {
    expect(nodeOfAlert(alertOf({}, 'orders-db is slow'))).toBe('orders-db');
    expect(nodeOfAlert(alertOf({}, 'web and orders are slow'))).toBeUndefined();
    expect(nodeOfAlert({ nodes, alerts: [] })).toBeUndefined();
  });
});

describe('nodesNamedIn', () => {
  it('finds words, and not parts of words or of longer names', () => {
    const ids = nodes.map(({ id }) => id);
    expect(nodesNamedIn('dial tcp orders-db:5432: refused', ids)).toEqual(['orders-db']);
    expect(nodesNamedIn('GET http://orders.shop.svc/reorders, webhook', ids)).toEqual(['orders']);
    expect(nodesNamedIn('orders-db asks orders', ids)).toEqual(['orders-db', 'orders']);
    expect(nodesNamedIn('nothing', ids)).toEqual([]);
  });
});
