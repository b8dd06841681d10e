import { expect, it } from '@jest/globals';
import { narrowTopology } from './narrow-topology.js';
import type { Topology } from './topology.js';

const node = (id: string) => ({ id, name: id, kind: 'tcp', dependsOn: [], attributes: {} });
const worker = (agentId: string, of: string) => ({
  agentId,
  name: of,
  node: of,
  tools: ['tcp_probe'],
});
const topology: Topology = {
  id: 1,
  name: 'Shop',
  nodes: ['api', 'db', 'cache', 'moon'].map(node),
  globalSupervisor: { agentId: '1', name: 'Global' },
  teams: [
    {
      name: 'Front',
      nodes: ['api'],
      supervisor: { agentId: '2', name: 'Front' },
      workers: [worker('3', 'api')],
    },
    {
      name: 'Data',
      nodes: ['db', 'cache', 'moon'],
      supervisor: { agentId: '4', name: 'Data' },
      workers: [worker('5', 'db'), worker('6', 'cache')],
    },
  ],
};

it('keeps a topology as it is if nothing is named', () => {
  expect(narrowTopology(topology, { nodes: [], teams: undefined })).toEqual({ topology });
});

it('keeps all nodes, and the teams and workers that look at those named', () => {
  expect(narrowTopology(topology, { nodes: ['db'] })).toEqual({
    topology: {
      ...topology,
      teams: [{ ...topology.teams[1], nodes: ['db'], workers: [worker('5', 'db')] }],
      scope: ['db'],
    },
  });
});

it('takes nodes and teams together', () => {
  expect(narrowTopology(topology, { nodes: ['cache'], teams: ['Front'] })).toMatchObject({
    topology: {
      teams: [{ name: 'Front' }, { name: 'Data', nodes: ['cache'] }],
      scope: ['cache', 'api'],
    },
  });
});

it('refuses names that are not in the topology, and nodes that no agent looks at', () => {
  expect(narrowTopology(topology, { nodes: ['db', 'dbb'], teams: ['Back'] })).toMatchObject({
    faults: [{ path: 'nodes[1]' }, { path: 'teams[0]' }],
  });
  expect(narrowTopology(topology, { nodes: ['moon'] })).toMatchObject({
    faults: [{ path: 'nodes' }],
  });
});
