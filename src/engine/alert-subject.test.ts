import { describe, expect, it } from '@jest/globals';
import { mainAlert, nodeOfAlert, nodesNamedIn } from './alert-subject.js';

const nodes = ['orders', 'orders-db', 'web'].map((id) => ({
  id,
  name: `The ${id}`,
  dependsOn: [],
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

  it('knows a node by the names that telemetry has for it', () => {
    const mail = { id: 'mail', name: 'Mail', attributes: { telemetry: ['smtp-out'] } };
    const alerts = [{ labels: { job: 'smtp-out' }, annotations: {} }];
    expect(nodeOfAlert({ nodes: [...nodes, mail], alerts })).toBe('mail');
  });

  it('reads the texts if no label names a node, and only if they name one', () => {
    expect(nodeOfAlert(alertOf({}, 'orders-db is slow'))).toBe('orders-db');
    expect(nodeOfAlert(alertOf({}, 'web and orders are slow'))).toBeUndefined();
    expect(nodeOfAlert({ nodes, alerts: [] })).toBeUndefined();
  });
});

describe('mainAlert', () => {
  const alert = (alertname: string, labels: Record<string, string> = {}) => ({
    labels: { alertname, ...labels },
    annotations: {},
  });

  it('is the first that names a node, none that always fires', () => {
    const alerts = [
      alert('Watchdog', { service: 'web' }),
      alert('InfoInhibitor', { service: 'web' }),
      alert('Heartbeat', { service: 'web', severity: 'none' }),
      alert('KubeCPUOvercommit', { severity: 'warning' }),
      alert('HighLatency', { service: 'orders' }),
      alert('HighLatency', { service: 'web' }),
    ];
    expect(mainAlert({ nodes, alerts })?.labels).toEqual({
      alertname: 'HighLatency',
      service: 'orders',
    });
    expect(nodeOfAlert({ nodes, alerts })).toBe('orders');
  });

  it('is the first if none names a node, and absent if all fire always', () => {
    expect(mainAlert({ nodes, alerts: [alert('A'), alert('B')] })?.labels['alertname']).toBe('A');
    expect(mainAlert({ nodes, alerts: [alert('Watchdog')] })).toBeUndefined();
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
