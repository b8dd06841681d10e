import { expect, it } from '@jest/globals';
import { parseText, textOfTopology } from '../../console/src/pages/topologies/topology-text.js';

const supervisor = { agentId: '1', name: 'Global supervisor' };
const topology = {
  id: 7,
  name: 'Shop',
  version: 3,
  createdAt: 'x',
  updatedAt: 'x',
  nodes: [{ id: 'api', name: 'API', kind: 'service', dependsOn: [], attributes: {} }],
  globalSupervisor: supervisor,
  teams: [
    {
      name: 'Shop',
      nodes: ['api'],
      supervisor: { agentId: '2', name: 'Lead' },
      workers: [{ agentId: '3', name: 'Worker', node: 'api', tools: ['http_probe'] }],
    },
  ],
};

it('writes a stored topology without what the service adds', () => {
  const { version: _, createdAt: __, updatedAt: ___, ...own } = topology;
  const nodes = [{ id: 'api', name: 'API', kind: 'service' }];
  const text = textOfTopology({ ...topology, derived: [] });
  expect(parseText(text).value).toEqual({ ...own, nodes });
  expect(text).not.toContain('#');
});

it('marks what was derived, and only that', () => {
  const lines = textOfTopology({ ...topology, derived: ['teams'] }).split('\n');
  const marked = lines.flatMap((line, i) => (line.startsWith('# Derived') ? [lines[i + 1]] : []));
  expect(marked).toEqual(['teams:']);
});

it.each(['', 'id', '- id: 1', '# only a comment'])('takes %j for no topology yet', (text) => {
  const { value, syntax } = parseText(text);
  expect(value).toBeUndefined();
  expect(syntax).toEqual([expect.objectContaining({ line: 1 })]);
});
