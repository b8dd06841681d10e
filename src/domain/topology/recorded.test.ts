import { expect, test } from '@jest/globals';
import { providesOf } from './recorded.js';
import type { Telemetry, TopologyNode, TopologySource } from './topology.js';

const node = (more: Partial<TopologyNode> = {}): TopologyNode => ({
  id: 'a',
  name: 'A',
  kind: 'service',
  dependsOn: [],
  attributes: {},
  ...more,
});
const provides: Telemetry[] = ['metrics', 'logs'];
const BUNDLE: TopologySource[] = [{ id: 'r', kind: 'recording', incident: 'x', provides }];
const LOKI: TopologySource[] = [{ id: 'l', kind: 'loki', provides: ['logs'] }];

test('a live source has telemetry of the nodes that select from it', () => {
  expect(providesOf(node(), LOKI, 'logs')).toBe(false);
  expect(providesOf(node({ in: { l: '{app="a"}' } }), LOKI, 'logs')).toBe(true);
});

test('a recording has what it lists of a node, or may have all', () => {
  const listed = node({ attributes: { recorded: ['logs', 'traces'] } });
  const all = ['metrics', 'logs', 'traces'] as const;
  expect(all.map((each) => providesOf(listed, BUNDLE, each))).toEqual([false, true, false]);
  expect(all.map((each) => providesOf(node(), BUNDLE, each))).toEqual([true, true, false]);
  const none = node({ attributes: { recorded: [] } });
  expect(all.some((each) => providesOf(none, BUNDLE, each))).toBe(false);
});
