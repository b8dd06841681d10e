import { expect, test } from '@jest/globals';
import { parseTopology } from './parse-topology.js';
import {
  TOOLS,
  at,
  faultsOf,
  node,
  valid,
  type Loose,
} from '../../../test/support/incidents/loose-topology.js';

test('returns a valid topology with its defaults', () => {
  const input = valid();
  expect(parseTopology(input, TOOLS)).toEqual({
    topology: {
      ...input,
      nodes: [
        { ...input.nodes[0], attributes: {} },
        { ...input.nodes[1], dependsOn: [] },
      ],
    },
  });
});

test('reports all faults at once, also between valid parts', () => {
  const input = valid() as unknown as Loose;
  input['id'] = 0;
  input['nodes'] = [
    { id: 'api', name: '', kind: 'service', endpoint: 'nonsense', dependsOn: ['cache', 'gone'] },
    { id: 'cache', name: 'Cache', kind: 'redis', endpoint: 'http://x', dependsOn: ['api'] },
  ];
  const teams = input['teams'] as Loose[];
  (at(teams, 0)['workers'] as Loose[]).push({ agentId: '3', node: 'cache', tools: ['nope'] });
  expect(
    faultsOf(input)
      .map(({ path }) => path)
      .sort(),
  ).toEqual([
    'id',
    'nodes[0].dependsOn[1]',
    'nodes[0].endpoint',
    'nodes[0].name',
    'nodes[1].dependsOn[0]',
    'nodes[1].endpoint',
    'teams[0].workers[2].agentId',
    'teams[0].workers[2].name',
    'teams[0].workers[2].tools[0]',
  ]);
});

test('reports a wrong endpoint beside a wrong attribute of the same node', () => {
  const cache = {
    id: 'cache',
    name: 'Cache',
    kind: 'redis',
    endpoint: 'http://x',
    attributes: { timeoutMs: 'soon', when: new Date(0), slowMs: -1 },
  };
  const gone = { id: 'gone', name: 'Gone', kind: 'process', attributes: { slowMs: 'x', pid: -1 } };
  const nowhere = { id: 'nowhere', name: 7, kind: 'tcp' };
  const slip = { id: 'slip', name: 'Slip', kind: 'redis', endpoint: 'http://x', atributes: {} };
  const odd = { id: 'odd', name: 'Odd', kind: 'tcp', endpoint: 7, attributes: 'x' };
  const faults = faultsOf({ id: 1, name: 'n', nodes: [cache, gone, nowhere, odd, slip] });
  expect(new Set(faults.map(({ path }) => path))).toEqual(
    new Set([
      'nodes[0].attributes.timeoutMs',
      'nodes[0].attributes.slowMs',
      'nodes[0].endpoint',
      'nodes[0].attributes',
      'nodes[1].attributes.slowMs',
      'nodes[1].attributes.pid',
      'nodes[2].name',
      'nodes[2].endpoint',
      'nodes[3].endpoint',
      'nodes[3].attributes',
      'nodes[4].atributes',
      'nodes[4].endpoint',
    ]),
  );
  expect(faults).toHaveLength(12);
});

test('reports each cycle once', () => {
  const nodes = Object.entries({
    a: ['b', 'x'],
    b: ['c'],
    c: ['a'],
    x: ['a'],
    y: ['z'],
    z: ['y'],
    ok: ['a'],
  }).map(([id, dependsOn]) => ({
    id,
    name: id,
    kind: 'host',
    dependsOn,
  }));
  expect(
    faultsOf({ id: 1, name: 'n', nodes }).map(({ path, message }) => `${path} ${message}`),
  ).toEqual([
    'nodes[2].dependsOn[0] closes a cycle of dependencies: a → b → c → a',
    'nodes[3].dependsOn[0] closes a cycle of dependencies: a → x → a',
    'nodes[5].dependsOn[0] closes a cycle of dependencies: y → z → y',
  ]);
});

test('derives a missing global supervisor and missing teams', () => {
  const { globalSupervisor, ...rest } = valid();
  const led = parseTopology(rest, TOOLS);
  expect(led).toMatchObject({
    topology: { globalSupervisor: { agentId: '1', name: 'Global supervisor' }, teams: rest.teams },
  });
  const { teams: _teams, ...headless } = valid();
  const staffed = parseTopology(headless, TOOLS);
  expect(staffed).toMatchObject({
    topology: {
      globalSupervisor,
      teams: [{ supervisor: { agentId: '2' }, workers: [{ agentId: '3' }, { agentId: '4' }] }],
    },
  });
});

test('never repeats an endpoint, which may contain a password', () => {
  const input = valid();
  node(input, 1)['endpoint'] = 'redis://user:hunter2 @host';
  node(input, 1)['kind'] = 'service';
  expect(JSON.stringify(faultsOf(input))).not.toContain('hunter2');
});
