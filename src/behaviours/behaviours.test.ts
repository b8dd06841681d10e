import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_NAMES } from '../domain/behaviour-tree/node-options.js';
import type { Tree } from '../domain/behaviour-tree/tree.js';
import { ConsiliumError } from '../domain/errors.js';
import { AGENT_LEAVES } from './agent-actions.js';
import { Behaviours } from './behaviours.js';
import { BehavioursController } from './behaviours.controller.js';
import { BehavioursModule } from './behaviours.module.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'consilium-behaviours-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);

function faultsOf(make: () => unknown): string[] {
  try {
    make();
    return [];
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    return (error.options.faults ?? []).map(
      ({ path, message }) => `${path.replace(`${folder}/`, '')} ${message}`,
    );
  }
}

it('compiles the tree of the documentation', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/behaviours.md'), 'utf8');
  const text = /```lisp\n([^]*?)```/.exec(page)?.[1] ?? '';
  write('careful-worker.tree', text);
  expect(faultsOf(() => new Behaviours(folder))).toEqual([]);
  expect(new Behaviours(folder).get('careful-worker')?.description).toMatch(/^Checks its node/);
});

it('documents every node and every leaf', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/behaviours.md'), 'utf8');
  const documented = new Set([...page.matchAll(/\(([a-z-]+) /g)].map(([, name]) => name));
  // `succeed` is an alias.
  expect(NODE_NAMES.filter((name) => name !== 'succeed' && !documented.has(name))).toEqual([]);
  expect(AGENT_LEAVES.actions.filter((name) => !page.includes(`(action ${name})`))).toEqual([]);
  expect(AGENT_LEAVES.conditions.filter((name) => !page.includes(`(condition ${name})`))).toEqual(
    [],
  );
});

describe('the shipped trees', () => {
  const action = (name: string): Tree => ({ type: 'action', name });
  const stopped: Tree = { type: 'condition', name: 'stopped?' };
  const sequence = (...children: Tree[]): Tree => ({ type: 'sequence', children });
  const limit = sequence({ type: 'condition', name: 'limit-reached?' }, action('limit-reached'));
  const loop = (...turn: Tree[]): Tree => ({
    type: 'repeater',
    until: 'success',
    max: 1_000,
    child: sequence(
      action('start-turn'),
      { type: 'selector', children: [limit, sequence(...turn)] },
      stopped,
    ),
  });
  const llmCall: Tree = { type: 'llm-call', options: { timeoutMs: 3_600_000 } };

  it.each([
    ['worker', ['report']],
    ['team-supervisor', ['report']],
    ['global-supervisor', ['measure-left-out', 'conclude']],
    ['oracle', ['answer']],
  ])('%s: turn after turn until it is done, then its last actions', (name, last) => {
    const turn = [
      action('build-messages'),
      llmCall,
      action('run-tools'),
      action('ask-librarian'),
      action('await-reports'),
      action('check-progress'),
      action('drain-notifications'),
    ];
    const agentLoop: Tree = { type: 'subtree', name: 'agent-loop', child: loop(...turn) };
    const body = sequence(action('start'), agentLoop, ...last.map(action));
    const tree: Tree = { type: 'finally', child: body, last: action('end') };
    expect(new Behaviours().get(name)).toMatchObject({ origin: 'shipped', tree });
  });

  it('are listed with their text', () => {
    const { items, nextCursor } = new BehavioursController(new Behaviours()).list();
    expect(nextCursor).toBeNull();
    expect(items.map(({ name, origin }) => [name, origin])).toEqual([
      ['agent-loop', 'shipped'],
      ['global-supervisor', 'shipped'],
      ['oracle', 'shipped'],
      ['team-supervisor', 'shipped'],
      ['worker', 'shipped'],
    ]);
    for (const { description, source } of items) {
      expect(description).not.toBe('');
      expect(source).toMatch(/\(subtree agent-loop\)|\(action start-turn\)/);
    }
  });
});

describe("a user's folder", () => {
  it('adds trees, replaces shipped ones, and finds them with or without the ending', () => {
    write('mine.tree', '(tree mine :description "Mine." (subtree last))');
    write('last.tree', '(tree last (action report))');
    write('worker.tree', '(tree worker (subtree mine.tree))');
    write('notes.txt', 'not a tree');
    const behaviours = new Behaviours(folder);
    expect(behaviours.list().map(({ name, origin }) => `${name} ${origin}`)).toEqual([
      'agent-loop shipped',
      'global-supervisor shipped',
      'last user',
      'mine user',
      'oracle shipped',
      'team-supervisor shipped',
      'worker user',
    ]);
    expect(behaviours.get('mine.tree')).toEqual({
      name: 'mine',
      description: 'Mine.',
      origin: 'user',
      source: '(tree mine :description "Mine." (subtree last))',
      tree: { type: 'subtree', name: 'last', child: { type: 'action', name: 'report' } },
      blackboard: {},
    });
    expect(behaviours.get('worker')?.tree.type).toBe('subtree');
    expect(behaviours.get('notes')).toBeUndefined();
  });

  it('is the folder of the module', async () => {
    write('mine.tree', '(tree mine (action report))');
    const module = await Test.createTestingModule({
      imports: [BehavioursModule.with(folder)],
    }).compile();
    expect(module.get(Behaviours).get('mine')?.origin).toBe('user');
    expect(module.get(BehavioursController).list().items).toHaveLength(6);
    write('mine.tree', '(tree mine (dig))');
    await expect(
      Test.createTestingModule({ imports: [BehavioursModule.with(folder)] }).compile(),
    ).rejects.toThrow(
      `Behaviours that cannot be used:\n  ${folder}/mine.tree:1:13: there is no node (dig …)`,
    );
  });

  it('returns the trees of a topology once each, or reports missing ones', () => {
    write('mine.tree', '(tree mine (action report))');
    const behaviours = new Behaviours(folder);
    const agent = (agentId: string, behaviour?: string) => ({
      agentId,
      name: agentId,
      ...(behaviour === undefined ? {} : { behaviour }),
    });
    const worker = (agentId: string, behaviour?: string) => ({
      ...agent(agentId, behaviour),
      node: 'n',
      tools: ['http_probe'],
    });
    const topology = (...workers: ReturnType<typeof worker>[]) => ({
      id: 1,
      name: 't',
      nodes: [],
      globalSupervisor: agent('1'),
      teams: [{ name: 'a', nodes: ['n'], supervisor: agent('2'), workers }],
    });
    const pinned = behaviours.pin(
      topology(worker('3'), worker('4', 'mine.tree'), worker('5', 'mine')),
    );
    expect(Object.keys(pinned)).toEqual(['global-supervisor', 'team-supervisor', 'worker', 'mine']);
    expect(pinned['mine']).toEqual({ type: 'action', name: 'report' });
    expect(faultsOf(() => behaviours.pin(topology(worker('3'), worker('4', 'mime.tree'))))).toEqual(
      [
        'teams[0].workers[1].behaviour unknown behaviour "mime": did you mean "mine"? allowed: agent-loop, global-supervisor, mine, oracle, team-supervisor, worker',
      ],
    );
  });

  it('refuses a tree with the last action of another role, which would end more than its agent', () => {
    write('mine.tree', '(tree mine (sequence (action start) (always-succeed (subtree last))))');
    write('last.tree', '(tree last (action answer))');
    const agent = (agentId: string, behaviour?: string) => ({
      agentId,
      name: agentId,
      ...(behaviour === undefined ? {} : { behaviour }),
    });
    const worker = { ...agent('3', 'mine.tree'), node: 'n', tools: ['http_probe'] };
    const team = {
      name: 'a',
      nodes: ['n'],
      supervisor: agent('2', 'global-supervisor'),
      workers: [worker],
    };
    const behaviours = new Behaviours(folder);
    expect(
      faultsOf(() =>
        behaviours.pin({
          id: 1,
          name: 't',
          nodes: [],
          globalSupervisor: agent('1', 'worker'),
          teams: [team],
        }),
      ),
    ).toEqual([
      `globalSupervisor.behaviour "worker" does not fit: (action report) is the last action of a worker and of a team's supervisor; the last action of the global supervisor is (action conclude)`,
      `teams[0].supervisor.behaviour "global-supervisor" does not fit: (action conclude) is the last action of the global supervisor; the last action of a team's supervisor is (action report)`,
      'teams[0].workers[0].behaviour "mine" does not fit: (action answer) is the last action of the oracle; the last action of a worker is (action report)',
    ]);
    write('worker.tree', '(tree worker (action start) :finally (action answer))');
    write('oracle.tree', '(tree oracle (action conclude))');
    expect(faultsOf(() => new Behaviours(folder))).toEqual([
      'oracle.tree:1:1 (action conclude) is the last action of the global supervisor; the last action of the oracle is (action answer)',
      'worker.tree:1:1 (action answer) is the last action of the oracle; the last action of a worker is (action report)',
    ]);
  });

  it('reports every fault of every file once', () => {
    write('a.tree', '(tree a\n  (action dig)\n  (sleep))');
    write('b.tree', '(tree b (subtree a) (subtree b))');
    write('c.tree', '(tree d (for-each (blackboard :call) (action report)))');
    write('e.tree', '(tree f (action report))');
    expect(faultsOf(() => new Behaviours(folder))).toEqual([
      expect.stringMatching(
        /^a\.tree:2:3 no action is called "dig": allowed: start, start-turn, limit-reached, /,
      ),
      expect.stringMatching(/^a\.tree:3:4 there is no node \(sleep …\): /),
      'b.tree:1:21 a cycle of subtrees: b → b',
      expect.stringMatching(
        /^c\.tree:1:19 the blackboard has no :call: did you mean "calls"\? allowed: /,
      ),
      'e.tree:1:1 has the tree "f"; expected "e", as the file',
    ]);
  });

  it('reports a folder that cannot be read', () => {
    const nowhere = join(folder, 'nowhere');
    expect(() => new Behaviours(nowhere)).toThrow(`${nowhere} cannot be read: ENOENT`);
    write('a.tree', Buffer.from([0x28, 0xff]));
    expect(() => new Behaviours(folder)).toThrow(/a\.tree cannot be read: it is not UTF-8/);
    write('a.tree', ' '.repeat(1_000_000));
    expect(() => new Behaviours(folder)).toThrow(
      /a\.tree cannot be read: it has 1000000 bytes, more than the maximum of 800000/,
    );
  });
});
