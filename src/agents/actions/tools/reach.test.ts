import { expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../../../test/support/models/agent-session.js';
import { placeOf } from '../../runtime/agent-place.js';
import { reachOf } from './reach.js';

const reach = (agentId: string, access: 'read' | 'change' = 'read') => {
  const place = placeOf(SMALL_TOPOLOGY, agentId);
  return place && reachOf(SMALL_TOPOLOGY, place, access).map(({ id }) => id);
};

it('H4: a worker reaches its node, and its dependencies if its binding allows it', () => {
  expect(reach('3')).toEqual(['web', 'db']);
  expect(reach('4')).toEqual(['db']);
});

it.each(['node', undefined] as const)(
  'H4: a worker with reach %s looks at its own node only',
  (scope) => {
    const binding = { agentId: '3', name: 'Web worker', node: 'web', tools: ['look'] };
    const worker = { ...binding, ...(scope && { reach: scope }) };
    expect(reachOf(SMALL_TOPOLOGY, { worker }, 'read').map(({ id }) => id)).toEqual(['web']);
  },
);

it('H4: a worker changes its own node only', () => {
  expect(reach('3', 'change')).toEqual(['web']);
});

it('an agent that is not a worker reaches every node', () => {
  expect(reach('1')).toEqual(['web', 'db', 'far']);
});
