import { expect, it } from '@jest/globals';
import { needsOf } from './needs-of.js';

it('lists what a node depends on, the nearest first, also in a circle and beyond the topology', () => {
  const nodes = [
    { id: 'web', dependsOn: ['shop', 'gone'] },
    { id: 'shop', dependsOn: ['db'] },
    { id: 'db', dependsOn: ['web'] },
  ];
  expect(needsOf(nodes, 'web')).toEqual(['shop', 'gone', 'db']);
  expect(needsOf(nodes, 'unknown')).toEqual([]);
});
