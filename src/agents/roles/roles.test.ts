import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SMALL_TOPOLOGY, sessionOf } from '../../../test/support/models/agent-session.js';
import type { RunSpec } from '../../domain/run.js';
import type { Topology, TopologyNode } from '../../domain/topology/topology.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import type { Tool } from '../../tools/tool.js';
import { placeIn } from '../runtime/agent-place.js';
import { globalSupervisorBehaviour } from './global-supervisor/global-supervisor.behaviour.js';
import type { RoleBehaviour } from './role-behaviour.js';
import { teamSupervisorBehaviour } from './team-supervisor/team-supervisor.behaviour.js';
import { workerBehaviour } from './worker/worker.behaviour.js';

const toolNamed = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  access: 'read',
  repeatable: true,
  args: z.strictObject({ node: z.string() }),
  measures: () => 'service',
  appliesTo: ({ kind }: TopologyNode) => kind === 'service',
  argsFor: ({ id }: TopologyNode) => ({ node: id }),
  run: () => Promise.reject(new Error('not called')),
  ...more,
});
const tools = new ToolRegistry();
tools.add(toolNamed('look', { description: 'Looks.' }));
tools.add(toolNamed('dig', { onDemand: () => true }));
tools.add(toolNamed('count', { onDemand: () => true, lacks: () => ['queue', 'vhost'] }));
tools.add(toolNamed('survey', { scope: 'topology' }));

/** The nodes of the small topology with endpoints and attributes that no model may see. */
const SECRETIVE: Topology = {
  ...SMALL_TOPOLOGY,
  nodes: SMALL_TOPOLOGY.nodes.map((node) => ({
    ...node,
    endpoint: 'http://10.9.8.7:80/?token=hunter2',
    attributes: { slowMs: 300, password: 'hunter2', ca: 'PEM' },
  })),
};

/** What an agent receives about its place, and the tools that it is offered. */
function promptFor(role: RoleBehaviour, agentId: string, topology = SECRETIVE) {
  const { spec } = sessionOf({ spec: { topology } }).session;
  const place = placeIn(spec, agentId);
  if (!place) throw new Error(`no agent ${agentId}`);
  const brief = role.brief(spec, place);
  const offered = role.tools(spec, place);
  expect(JSON.stringify([brief, offered])).not.toMatch(/hunter2|10\.9\.8\.7|PEM|endpoint"/);
  return { brief, offered, names: offered.map(({ name }) => name) };
}

const schemaOf = (offered: { name: string; schema: object }[], name: string) =>
  (offered.find((tool) => tool.name === name)?.schema ?? {}) as {
    properties?: Record<string, { enum?: string[] }>;
  };

describe('a worker', () => {
  const dug: Topology = {
    ...SECRETIVE,
    teams: SECRETIVE.teams.map((team) => ({
      ...team,
      workers: team.workers.map((worker) => ({ ...worker, tools: ['look', 'dig', 'gone'] })),
    })),
  };

  it('receives its node with documented attributes, and the calls of a first look', () => {
    expect(promptFor(workerBehaviour(tools), '3', dug).brief).toEqual({
      role: 'worker',
      node: {
        id: 'web',
        name: 'The web',
        kind: 'service',
        dependsOn: ['db'],
        attributes: { slowMs: 300 },
      },
      reach: ['db'],
      firstLook: [{ tool: 'look', args: { node: 'web' } }],
    });
  });

  it('receives which attributes its tools lack', () => {
    const teams = dug.teams.map((team) => ({
      ...team,
      workers: team.workers.map((worker) => ({ ...worker, tools: ['count', 'look'] })),
    }));
    expect(promptFor(workerBehaviour(tools), '3', { ...dug, teams }).brief).toMatchObject({
      lacks: { count: ['queue', 'vhost'] },
      firstLook: [{ tool: 'look' }],
    });
  });

  it('receives no reach where its tools reach its node only', () => {
    expect(promptFor(workerBehaviour(tools), '4', dug).brief).not.toHaveProperty('reach');
  });

  it('has no first look at a node that none of its tools is for', () => {
    expect(promptFor(workerBehaviour(tools), '4', dug).brief).toMatchObject({ firstLook: [] });
  });

  it('is offered the tools of its binding that exist, and a report without root causes', () => {
    const { names, offered } = promptFor(workerBehaviour(tools), '3', dug);
    expect(names).toEqual(['look', 'dig', 'report']);
    expect(offered[0]?.description).toBe('Looks.');
    expect(Object.keys(schemaOf(offered, 'report').properties ?? {})).not.toContain('root_causes');
  });

  it('needs a node of the topology', () => {
    const { spec } = sessionOf().session;
    const place = placeIn(spec, '1');
    expect(() => place && workerBehaviour(tools).brief(spec, place)).toThrow('without a node');
  });
});

describe('a team supervisor', () => {
  it('receives the nodes of its team, and the tools of its workers', () => {
    const { brief } = promptFor(teamSupervisorBehaviour, '2');
    expect(brief).toMatchObject({
      role: 'team_supervisor',
      team: 'Team',
      nodes: [{ id: 'web' }, { id: 'db' }, { id: 'far' }],
      workers: [
        { name: 'Web worker', node: 'web', tools: ['look'] },
        { name: 'Db worker', node: 'db', tools: ['look'] },
      ],
    });
  });

  it('may dispatch its own workers, and report without root causes', () => {
    const { names, offered } = promptFor(teamSupervisorBehaviour, '2');
    expect(names).toEqual(['dispatch_worker', 'report']);
    expect(schemaOf(offered, 'dispatch_worker').properties?.['worker']?.enum).toEqual([
      'Web worker',
      'Db worker',
    ]);
    expect(schemaOf(offered, 'report').properties).not.toHaveProperty('root_causes');
  });

  it('needs a team', () => {
    const { spec } = sessionOf().session;
    const place = placeIn(spec, '1');
    expect(() => place && teamSupervisorBehaviour.brief(spec, place)).toThrow('without a team');
  });
});

describe('the global supervisor', () => {
  const role = globalSupervisorBehaviour(tools);

  it('receives all nodes, the teams with their tools, and the calls over the whole system', () => {
    expect(promptFor(role, '1').brief).toEqual({
      role: 'global_supervisor',
      nodes: SMALL_TOPOLOGY.nodes.map(({ id, name, kind, dependsOn }) => ({
        id,
        name,
        kind,
        dependsOn,
      })),
      teams: [{ name: 'Team', nodes: ['web', 'db', 'far'], tools: ['look'] }],
      firstLook: [{ tool: 'survey', args: { node: 'web' } }],
    });
  });

  it('may look at the whole system, dispatch teams and name root causes', () => {
    const { names, offered } = promptFor(role, '1');
    expect(names).toEqual(['survey', 'dispatch_team', 'report']);
    expect(schemaOf(offered, 'dispatch_team').properties?.['team']?.enum).toEqual(['Team']);
    expect(schemaOf(offered, 'report').properties).toHaveProperty('root_causes');
    expect(role.diagnostic?.({ topology: SECRETIVE } as RunSpec)).toEqual(['survey']);
  });

  it('has no tools over a system that they are not for', () => {
    const nodes = SECRETIVE.nodes.map((node) => ({ ...node, kind: 'tcp' }));
    expect(promptFor(role, '1', { ...SECRETIVE, nodes }).names).toEqual([
      'dispatch_team',
      'report',
    ]);
  });
});
