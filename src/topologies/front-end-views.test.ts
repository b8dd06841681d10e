import { describe, expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../test/support/models/agent-session.js';
import { agentHierarchy, graphOf, hierarchyOf, topologyGraph } from './front-end-views.js';

describe('the hierarchy of agents', () => {
  it('has the supervisors and the workers of each team', () => {
    const hierarchy = hierarchyOf(SMALL_TOPOLOGY);
    expect(agentHierarchy.parse(hierarchy)).toEqual(hierarchy);
    expect(hierarchy).toMatchObject({
      topologyId: 7,
      topologyName: 'Small',
      globalSupervisor: { boundId: 1, agentRole: 'GLOBAL_SUPERVISOR' },
      teams: [
        {
          nodeId: 'web',
          nodeName: 'Team',
          supervisor: { agentId: '2', agentName: 'Lead', agentRole: 'TEAM_SUPERVISOR' },
          workers: [
            { agentId: '3', agentRole: 'WORKER' },
            { agentId: '4', agentRole: 'WORKER' },
          ],
        },
      ],
    });
  });

  it.each([
    ['12', 12],
    ['global', null],
    ['1'.repeat(16), null],
    ['-1', null],
  ])('has the number of the agent id %s if it is one', (agentId, boundId) => {
    const globalSupervisor = { agentId, name: 'Head' };
    const hierarchy = hierarchyOf({ ...SMALL_TOPOLOGY, globalSupervisor });
    expect(hierarchy.globalSupervisor).toMatchObject({ agentId, boundId });
  });
});

it('the graph has a relationship for each dependency', () => {
  const graph = graphOf(SMALL_TOPOLOGY);
  expect(topologyGraph.parse(graph)).toEqual(graph);
  expect(graph.nodes.map(({ id }) => id)).toEqual(['web', 'db', 'far']);
  expect(graph.relationships).toEqual([{ source: 'web', target: 'db', type: 'DEPENDS_ON' }]);
});
