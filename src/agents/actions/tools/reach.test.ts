import { expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../../../test/support/agent-session.js';
import { placeOf } from '../../runtime/agent-place.js';
import { reachOf } from './reach.js';

const reach = (agentId: string, access: 'read' | 'change' = 'read') => {
  const place = placeOf(SMALL_TOPOLOGY, agentId);
  return place && reachOf(SMALL_TOPOLOGY, place, access).map(({ id }) => id);
};

it('H4: a worker looks at its node, at what that depends on, and at what depends on it', () => {
  expect(reach('3')).toEqual(['web', 'db']);
  expect(reach('4')).toEqual(['db', 'web']);
});

it('H4: a worker changes its own node only', () => {
  expect(reach('3', 'change')).toEqual(['web']);
});

it('an agent that is no worker looks at every node', () => {
  expect(reach('1')).toEqual(['web', 'db', 'far']);
});
