import { expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../../test/support/models/agent-session.js';
import { ORACLE } from '../../domain/chat/chat.js';
import type { RunSpec } from '../../domain/run.js';
import { placeIn, placeOf } from './agent-place.js';

it.each([
  ['1', 'global_supervisor', 'Head', null, undefined],
  ['2', 'team_supervisor', 'Lead', 'Team', undefined],
  ['3', 'worker', 'Web worker', 'Team', 'web'],
  ['4', 'worker', 'Db worker', 'Team', 'db'],
] as const)('finds the agent %s: a %s', (agentId, type, name, team, node) => {
  const place = placeOf(SMALL_TOPOLOGY, agentId);
  expect(place).toMatchObject({ type, binding: { agentId, name } });
  expect(place?.source).toEqual({
    agent_id: agentId,
    agent_type: type,
    agent_name: name,
    team_name: team,
  });
  expect(place?.worker?.node).toBe(node);
});

it('finds no agent with an unknown id', () => {
  expect(placeOf(SMALL_TOPOLOGY, '5')).toBeUndefined();
});

it('finds only the oracle in a chat, although the topology has other agents', () => {
  const chat = { sessionId: 's', contextId: 'c', history: [] };
  const spec = { kind: 'chat', chat, topology: SMALL_TOPOLOGY } as unknown as RunSpec;
  expect(placeIn(spec, ORACLE.agentId)).toMatchObject({ type: 'oracle', team: null });
  expect(placeIn(spec, '1')).toBeUndefined();
});
