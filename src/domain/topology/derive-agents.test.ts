import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { processorMs } from '../../../test/support/processes/processor-time.js';
import { hierarchy } from './hierarchy.js';
import type { JsonObject } from '../../lib/json.js';
import { parseTopology } from './parse-topology.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import type { Topology } from './topology.js';

const tool = (name: string, ...kinds: string[]): ToolFacts => ({
  name,
  appliesTo: (node) => kinds.includes(node.kind),
});
const TOOLS = [tool('look', 'host', 'lamp'), tool('touch', 'host')];

interface Given {
  id: string;
  kind?: string;
  name?: string;
  dependsOn?: string[];
  attributes?: JsonObject;
}

function derive(nodes: Given[], more: object = {}): Topology {
  const full = nodes.map((node) => ({ kind: 'host', name: node.id.toUpperCase(), ...node }));
  const outcome = parseTopology({ id: 1, name: 'All', nodes: full, ...more }, TOOLS);
  if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults));
  return outcome.topology;
}
const teamsOf = (topology: Topology) =>
  Object.fromEntries(topology.teams.map(({ name, nodes }) => [name, nodes.join(' ')]));
/** A chain: each node depends on the next. */
const chain = (prefix: string, length: number): Given[] =>
  Array.from({ length }, (_, index) => ({
    id: `${prefix}${index}`,
    dependsOn: index + 1 < length ? [`${prefix}${index + 1}`] : [],
  }));

describe('teams', () => {
  test('derives one team for a small topology, with its name', () => {
    expect(teamsOf(derive([{ id: 'a' }, { id: 'b' }, { id: 'c', dependsOn: ['a'] }]))).toEqual({
      All: 'a c b',
    });
  });

  test('derives a team per component, named after its entry, and one for the rest', () => {
    const nodes = [...chain('a', 3), { id: 'lone' }, ...chain('b', 4).reverse(), { id: 'alone' }];
    expect(teamsOf(derive(nodes))).toEqual({
      A0: 'a0 a1 a2',
      B0: 'b0 b1 b2 b3',
      'host nodes': 'lone alone',
    });
  });

  test('uses the team of an attribute', () => {
    const nodes = [
      { id: 'a', attributes: { team: 'Red' } },
      { id: 'b', attributes: { group: 'Blue' } },
      { id: 'c', attributes: { group: 'Red' } },
      { id: 'd' },
    ];
    expect(teamsOf(derive(nodes))).toEqual({ Red: 'a c', Blue: 'b', D: 'd' });
  });

  test('cuts a large component into tiers from the entry down', () => {
    const leaves = Array.from({ length: 10 }, (_, index) => ({ id: `leaf${index}` }));
    const nodes = [
      ...leaves,
      { id: 'top', dependsOn: ['m1', 'm2'] },
      ...['m1', 'm2'].map((id) => ({ id, dependsOn: leaves.map((leaf) => leaf.id) })),
    ];
    expect(teamsOf(derive(nodes))).toEqual({
      'TOP tier 1': 'top m1 m2 leaf0 leaf1 leaf2',
      'TOP tier 2': 'leaf3 leaf4 leaf5 leaf6 leaf7 leaf8 leaf9',
    });
  });

  test('pools single nodes evenly by kind', () => {
    const nodes = Array.from({ length: 18 }, (_, index) => ({
      id: `n${index}`,
      kind: index % 3 === 0 ? 'lamp' : 'host',
    }));
    const sizes = derive(nodes).teams.map((team) => [team.name, team.nodes.length]);
    expect(sizes).toEqual([
      ['lamp nodes', 6],
      ['host nodes', 6],
      ['host nodes 2', 6],
    ]);
  });

  test('leaves out a team without workers and keeps a node without a worker in its team', () => {
    const nodes = [
      { id: 'a' },
      { id: 'b', kind: 'stone', dependsOn: ['a'] },
      { id: 'c', kind: 'stone', attributes: { team: 'Stones' } },
    ];
    const topology = derive(nodes);
    expect(teamsOf(topology)).toEqual({ B: 'b a' });
    expect(topology.teams[0]?.workers.map(({ node }) => node)).toEqual(['a']);
  });
});

test('gives agents ids in reading order, names of their nodes, and all tools that apply', () => {
  const topology = derive(
    [
      { id: 'a', name: 'Same' },
      { id: 'b', name: 'Same', kind: 'lamp' },
    ],
    { globalSupervisor: { agentId: '2', name: 'Chief' } },
  );
  const reach = 'dependencies';
  expect(topology.globalSupervisor).toEqual({ agentId: '2', name: 'Chief' });
  expect(topology.teams).toEqual([
    {
      name: 'All',
      nodes: ['a', 'b'],
      supervisor: { agentId: '1', name: 'All supervisor' },
      workers: [
        { agentId: '3', name: 'Same worker', node: 'a', tools: ['look', 'touch'], reach },
        { agentId: '4', name: 'Same worker 2', node: 'b', tools: ['look'], reach },
      ],
    },
  ]);
});

test('shows the hierarchy without endpoints and prompts', () => {
  const topology = derive([{ id: 'a', attributes: { slowMs: 3 } }], {
    globalSupervisor: { agentId: '9', name: 'Chief', model: 'm', prompt: 'secret' },
  });
  expect(hierarchy(topology, 4)).toEqual({
    topology_id: 1,
    version: 4,
    global_supervisor: { agent_id: '9', agent_name: 'Chief', model: 'm' },
    teams: [
      {
        team_name: 'All',
        supervisor: { agent_id: '1', agent_name: 'All supervisor' },
        nodes: ['a'],
        workers: [{ agent_id: '2', agent_name: 'A worker', node: 'a', tools: ['look', 'touch'] }],
      },
    ],
    nodes: [{ id: 'a', name: 'A', kind: 'host', depends_on: [] }],
  });
});

describe('properties', () => {
  const name = fc.oneof(
    fc.constantFrom('x', ' y ', 'n'.repeat(1000), '😀'.repeat(1000), '__proto__'),
    fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
  );
  const team = fc.oneof(fc.constantFrom(undefined, 3, '', 'All', 'Red', 'host nodes'), name);
  const entry = fc.record({
    name,
    kind: fc.constantFrom('host', 'lamp', 'stone'),
    group: team,
    links: fc.array(fc.nat(), { maxLength: 3 }),
  });
  const nodes = fc.array(entry, { minLength: 1, maxLength: 60 }).map((entries) =>
    entries.map(({ name: title, kind, group, links }, index) => ({
      id: `n${index}`,
      name: title,
      kind,
      // Only to earlier nodes, so that there is no cycle.
      dependsOn: [...new Set(index === 0 ? [] : links.map((link) => `n${link % index}`))],
      attributes: group === undefined ? {} : { group },
    })),
  );

  test('derives a valid topology with one worker per checkable node and teams of similar size', () => {
    fc.assert(
      fc.property(nodes, (given) => {
        const workable = given.filter(({ kind }) => kind !== 'stone');
        if (workable.length === 0) return;
        const topology = derive(given);
        expect(parseTopology(topology, TOOLS)).toEqual({ topology });
        const looked = topology.teams.flatMap(({ workers }) => workers.map(({ node }) => node));
        expect(looked.toSorted()).toEqual(workable.map(({ id }) => id).toSorted());
        const byAttribute = new Set(
          given.filter(({ attributes }) => attributes.group !== undefined).map(({ id }) => id),
        );
        for (const { nodes: members } of topology.teams)
          if (!members.some((id) => byAttribute.has(id)))
            expect(members.length).toBeLessThanOrEqual(8);
        expect(derive(given)).toEqual(topology);
      }),
      { numRuns: 125 },
    );
  });

  test('derives a thousand nodes quickly', () => {
    const before = processorMs();
    expect(derive(chain('n', 1000)).teams).toHaveLength(125);
    derive(
      Array.from({ length: 1000 }, (_, index) => ({
        id: `n${index}`,
        name: 'same',
        attributes: { team: index % 2 === 0 ? 'one' : `t${index}` },
      })),
    );
    expect(processorMs() - before).toBeLessThan(2_000);
  });
});
