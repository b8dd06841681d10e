import { describe, expect, it } from '@jest/globals';
import type { TopologyNode } from '../domain/topology/topology.js';
import { nodeNames } from './node-names.js';

const node = (id: string, name: string, telemetry?: unknown): TopologyNode =>
  ({
    id,
    name,
    kind: 'workload',
    dependsOn: [],
    attributes: telemetry === undefined ? {} : { telemetry },
  }) as TopologyNode;

describe('the node of a record', () => {
  const nodeOf = nodeNames([
    node('shop', 'Web shop', ['shop-svc', 7]),
    node('cart', 'shop', 'not-a-list'),
    node('db', 'Database'),
  ]);

  it.each([
    [{ service: 'db' }, 'db'],
    [{ service: 'Database' }, 'db'],
    [{ 'service.name': 'shop-svc' }, 'shop'],
    // An id takes precedence over the name of another node.
    [{ job: 'shop' }, 'shop'],
    // The first label that names a known node.
    [{ 'service.name': 'elsewhere', app: 'db' }, 'db'],
    [{ 'k8s.pod.name': 'db-7d9f8c6b5-x2x4z' }, 'db'],
    [{ pod: 'db-7d9f8c6b5-x2x4z', container: 'sidecar' }, 'db'],
  ])('with the labels %j is %s', (labels, expected) => {
    expect(nodeOf(labels)).toBe(expected);
  });

  it('keeps the name of one that is not in the topology', () => {
    expect(nodeOf({ app: 'other' })).toBe('other');
    expect(nodeOf({ pod: 'other-7d9f8c6b5-x2x4z' })).toBe('other');
    expect(nodeOf({ app: 'constructor' })).toBe('constructor');
  });

  it('is unknown if no label has a value', () => {
    expect(nodeOf({})).toBeUndefined();
    expect(nodeOf({ region: 'eu' })).toBeUndefined();
    expect(nodeOf({ 'service.name': '' })).toBeUndefined();
    expect(nodeOf({ 'service.name': '', pod: 'db-7d9f8c6b5-x2x4z' })).toBe('db');
  });
});
