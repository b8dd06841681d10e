import { describe, expect, it, jest } from '@jest/globals';
import { SMALL_TOPOLOGY, sessionOf } from '../../../../test/support/models/agent-session.js';
import { NO_TOPOLOGY, ORACLE, type ChatSpec } from '../../../domain/chat/chat.js';
import type { RunSpec } from '../../../domain/run.js';
import type { JsonObject } from '../../../lib/json.js';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import type { OwnContext } from '../role-behaviour.js';
import type { Diagnoses } from './diagnoses.js';
import type { Lookup } from './lookup.js';
import type { Role } from '../../../domain/roles.js';
import { OracleBehaviour } from './oracle.behaviour.js';
import { ORACLE_TOOLS } from './oracle-tools.js';

const done = { result: { done: true } };
const lookup = {
  topologies: jest.fn(async () => done),
  withoutNames: jest.fn(async (_asker: string, text: string) => text),
  topology: jest.fn(async () => done),
  runs: jest.fn(async () => done),
  run: jest.fn(async () => done),
  events: jest.fn(async () => done),
};
const diagnoses = { start: jest.fn(async () => done), follow: jest.fn(async () => done) };
const oracle = new OracleBehaviour(
  new ToolRegistry(),
  lookup as unknown as Lookup,
  diagnoses as unknown as Diagnoses,
);

/** The small topology, with endpoints that tools can reach. */
const TOPOLOGY = {
  ...SMALL_TOPOLOGY,
  nodes: SMALL_TOPOLOGY.nodes.map((node) => ({
    ...node,
    endpoint: node.kind === 'tcp' ? '127.0.0.1:1' : 'http://127.0.0.1:1',
  })),
};

function specOf(chat: Partial<ChatSpec> = {}, more: Partial<RunSpec> = {}): RunSpec {
  const whole: ChatSpec = { sessionId: 's', contextId: 'c', history: [], ...chat };
  return sessionOf({
    agentId: 'oracle',
    spec: { kind: 'chat', chat: whole, topology: TOPOLOGY, ...more },
  }).session.spec;
}
const call = (name: string, args: object, spec = specOf(), before: JsonObject[] = []) => {
  const context: OwnContext = {
    runId: 'run',
    callId: 't1',
    before,
    createdAt: 0,
    leftMs: 0,
    spec,
    forProvider: false,
    signal: new AbortController().signal,
    report: () => undefined,
  };
  return oracle.run(name, args as never, context);
};

describe('the oracle', () => {
  it('receives the topology of its conversation with a first look at each node', () => {
    expect(oracle.brief(specOf())).toMatchObject({
      role: 'oracle',
      thinking: false,
      topology: {
        id: 7,
        name: 'Small',
        nodes: [
          { id: 'web' },
          { id: 'db', firstLook: [{ tool: 'tcp_probe' }], reachedOnly: true },
          { id: 'far' },
        ],
      },
    });
    const [web] = (oracle.brief(specOf()) as { topology: { nodes: object[] } }).topology.nodes;
    expect(web).not.toHaveProperty('reachedOnly');
    const none = specOf(
      { thinking: true },
      { topology: { ...NO_TOPOLOGY, globalSupervisor: ORACLE } },
    );
    expect(oracle.brief(none)).toMatchObject({ topology: null, thinking: true });
  });

  it('receives the diagnosis that the person looks at', () => {
    expect(oracle.brief(specOf({ about: 'a-run' }))).toMatchObject({ run: 'a-run' });
    expect(oracle.brief(specOf())).not.toHaveProperty('run');
  });

  it('receives which tools the role of the person does not allow', () => {
    expect(oracle.brief(specOf({ role: 'viewer' }))).toMatchObject({
      needsRole: { start_diagnosis: 'trigger' },
    });
    expect(oracle.brief(specOf({ role: 'trigger' }))).not.toHaveProperty('needsRole');
    expect(oracle.brief(specOf())).not.toHaveProperty('needsRole');
  });

  it('is offered the tools of the sources that the caller allows', () => {
    const names = (chat: Partial<ChatSpec>) => oracle.tools(specOf(chat)).map(({ name }) => name);
    expect(names({})).toEqual(
      expect.arrayContaining(['list_topologies', 'get_run', 'read_log', 'start_diagnosis']),
    );
    expect(names({})).toContain('tcp_probe');
    expect(names({ sources: ['runs'] })).toEqual(['list_runs', 'get_run', 'navigate_to_page']);
    expect(names({ sources: ['tools'] })).toContain('tcp_probe');
    expect(oracle.diagnostic(specOf({ sources: ['logs'] }))).toEqual([]);
  });

  it('declares the action of each of its tools, and offers those that the role allows', async () => {
    const actions = Object.entries(ORACLE_TOOLS).map(([name, { action }]) => [name, action]);
    expect(Object.fromEntries(actions)).toEqual({
      list_topologies: 'topologies:read',
      get_topology: 'topologies:read',
      list_runs: 'runs:read',
      get_run: 'runs:read',
      read_log: 'runs:read',
      start_diagnosis: 'runs:start',
      follow_diagnosis: 'runs:read',
      navigate_to_page: 'self',
    });
    const names = (role: Role) => oracle.tools(specOf({ role })).map(({ name }) => name);
    expect(names('trigger')).toEqual(oracle.tools(specOf()).map(({ name }) => name));
    const viewer = names('viewer');
    expect(viewer).toContain('follow_diagnosis');
    expect(viewer).not.toContain('start_diagnosis');
    expect(viewer).not.toContain('tcp_probe');
    const asked = specOf({ role: 'viewer' }, { userMessage: 'Please diagnose topology 7.' });
    const start = call('start_diagnosis', { topology_id: 7, problem: 'It is slow.' }, asked);
    await expect(start).rejects.toThrow('needs the role trigger');
    await expect(start).rejects.toMatchObject({ code: 'REFUSED' });
  });

  it.each<[string, object, () => unknown[] | undefined, unknown[]]>([
    ['list_topologies', {}, () => lookup.topologies.mock.lastCall, ['me', {}]],
    ['get_topology', { topology_id: 7 }, () => lookup.topology.mock.lastCall, ['me', 7]],
    [
      'list_runs',
      { topology_id: '7', since: '2026-11-22T08:00:00+01:00' },
      () => lookup.runs.mock.lastCall,
      ['me', { topologyId: 7, since: Date.UTC(2026, 10, 22, 7), limit: 5 }],
    ],
    [
      'list_runs',
      { oldest_first: true, limit: 1 },
      () => lookup.runs.mock.lastCall,
      ['me', { oldestFirst: true, limit: 1 }],
    ],
    [
      'list_runs',
      { id_prefix: '01a21b4d' },
      () => lookup.runs.mock.lastCall,
      ['me', { idPrefix: '01a21b4d', limit: 5 }],
    ],
    ['get_run', { run_id: 'r' }, () => lookup.run.mock.lastCall, ['me', 'r']],
    [
      'read_log',
      { run_id: 'r', text: 'slow' },
      () => lookup.events.mock.lastCall,
      ['me', 'r', { after: 0, limit: 10, text: 'slow' }],
    ],
  ])('looks up: %s', async (name, args, asked, expected) => {
    expect(await call(name, args)).toEqual(done);
    expect(asked()).toEqual(expected);
  });

  it.each(['runs', 'runs/r-1#240', 'runs/r-1?at=12', 'runs/r-1?at=12#240'])(
    'opens a page for the person: %s',
    async (page) => {
      const result = { action: 'navigate', page };
      expect(await call('navigate_to_page', { page })).toEqual({ result });
    },
  );

  it('M5: starts a diagnosis only if the person asks for one', async () => {
    const args = { topology_id: 7, problem: 'It is slow.' };
    for (const userMessage of ['Why?', 'Please do not diagnose anything. What is the verdict?'])
      await expect(call('start_diagnosis', args, specOf({}, { userMessage }))).rejects.toThrow(
        'has not asked for a diagnosis. Answer without one, and tell the person: Say "diagnose topology 7" to start one.',
      );
    expect(diagnoses.start).not.toHaveBeenCalled();
    const asked = specOf({}, { userMessage: 'Please diagnose topology 7.' });
    expect(await call('start_diagnosis', args, asked)).toEqual(done);
    expect((diagnoses.start.mock.lastCall as unknown[] | undefined)?.slice(0, 2)).toEqual([
      7,
      'It is slow.',
    ]);
    lookup.withoutNames.mockClear();
    await expect(call('start_diagnosis', args, asked, [args])).rejects.toThrow(
      'you have called for it already',
    );
    // A call that is refused anyway reads no topologies.
    expect(lookup.withoutNames).not.toHaveBeenCalled();
    const other = { ...args, topology_id: 8 };
    await expect(call('start_diagnosis', other, asked)).rejects.toThrow('not for 8');
    expect(await call('start_diagnosis', args, asked, [{ topology_id: 'x' }])).toEqual(done);
  });

  it('follows a diagnosis', async () => {
    expect(await call('follow_diagnosis', { run_id: 'r', after: 3 })).toEqual(done);
    expect((diagnoses.follow.mock.lastCall as unknown[] | undefined)?.slice(0, 2)).toEqual([
      'r',
      3,
    ]);
  });

  it('refuses arguments that do not fit, and has no other tools of its own', async () => {
    await expect(call('get_topology', { topology_id: 'seven' })).rejects.toThrow('topology_id');
    for (const page of [
      'https://evil.example',
      '//evil.example',
      'runs?q=x',
      'runs#x',
      'runs?at=0',
    ])
      await expect(call('navigate_to_page', { page })).rejects.toThrow('page');
    expect(call('tcp_probe', { node: 'web' })).toBeUndefined();
  });
});
