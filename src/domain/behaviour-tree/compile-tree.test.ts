import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ConsiliumError } from '../errors.js';
import { TREE_BOUNDS, type KnownNames } from './compilation.js';
import { compileTree } from './compile-tree.js';
import type { Tree } from './tree.js';

const FILES: Record<string, string> = {
  helper: '(tree helper (action a))',
  outer: '(tree outer (subtree helper))',
  ping: '(tree ping (subtree pong))',
  pong: '(tree pong\n  (sequence (subtree ping)))',
  whole: '(tree whole (action a)\n :finally (action a))',
  broken: '(tree broken\n  (action unknown))',
  open: '(tree open',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `b${i}`,
      `(tree b${i} (subtree b${i + 1}) (subtree b${i + 1}))`,
    ]),
  ),
  b20: '(tree b20 (action a))',
};
const known: KnownNames = {
  actions: ['a', 'b', 'tools.execute'],
  conditions: ['x?', 'within-budget?'],
  tree: (name) =>
    Object.hasOwn(FILES, name) ? { file: `${name}.tree`, text: FILES[name] as string } : undefined,
};

const compile = (body: string, names = known): Tree =>
  compileTree(`(tree t ${body})`, 't.tree', names).tree;

function faultsOf(text: string, names = known): string[] {
  try {
    compileTree(text, 't.tree', names);
    return [];
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    const faults = error.options.faults ?? [];
    for (const { path, message } of faults) expect(error.message).toContain(`${path}: ${message}`);
    return faults.map(({ path, message }) => `${path} ${message}`);
  }
}

const a: Tree = { type: 'action', name: 'a' };
const b: Tree = { type: 'action', name: 'b' };

describe('compiles each form', () => {
  it.each<[text: string, tree: Tree]>([
    ['(action a)', a],
    [
      '(action "run it" :fn "tools.execute")',
      { type: 'action', name: 'run it', fn: 'tools.execute' },
    ],
    ['(condition x?)', { type: 'condition', name: 'x?' }],
    ['(action a) (action b)', { type: 'sequence', children: [a, b] }],
    ['(sequence (action a))', { type: 'sequence', children: [a] }],
    ['(selector (action a) (action b))', { type: 'selector', children: [a, b] }],
    ['(parallel (action a) (action b))', { type: 'parallel', policy: 'all', children: [a, b] }],
    [
      '(parallel :policy :require-one (action a))',
      { type: 'parallel', policy: 'one', children: [a] },
    ],
    [
      '(parallel :policy continue-on-failure (action a))',
      { type: 'parallel', policy: 'continue', children: [a] },
    ],
    [
      '(parallel :policy require-n :n 2 (action a) (action b))',
      { type: 'parallel', policy: 'n', n: 2, children: [a, b] },
    ],
    ['(for-each (blackboard :calls) (action a))', { type: 'for-each', list: 'calls', child: a }],
    [
      '(for-each (blackboard :calls) :policy :require-one (action a) (action b))',
      {
        type: 'for-each',
        list: 'calls',
        atOnce: { policy: 'one' },
        child: { type: 'sequence', children: [a, b] },
      },
    ],
    [
      '(parallel :policy :continue-on-failure (for-each (blackboard :calls) (action a)))',
      { type: 'for-each', list: 'calls', atOnce: { policy: 'continue' }, child: a },
    ],
    [
      '(repeater :max-iterations 30 :until-success (action a))',
      { type: 'repeater', until: 'success', max: 30, child: a },
    ],
    [
      '(repeater :until-failure (action a) :max-iterations 3)',
      { type: 'repeater', until: 'failure', max: 3, child: a },
    ],
    [
      '(repeater :max-iterations 2 (action a))',
      { type: 'repeater', until: 'count', max: 2, child: a },
    ],
    ['(timeout :ms 500 (action a))', { type: 'timeout', ms: 500, child: a }],
    ['(retry :times 3 (action a))', { type: 'retry', times: 3, child: a }],
    ['(cooldown :ms 500 (action a))', { type: 'cooldown', ms: 500, child: a }],
    ['(guard x? (action a))', { type: 'guard', condition: 'x?', child: a }],
    ['(inverter (action a))', { type: 'inverter', child: a }],
    ['(always-succeed (action a))', { type: 'always-succeed', child: a }],
    ['(always-fail)', { type: 'always-fail' }],
    ['(succeed)', { type: 'always-succeed' }],
    ['(decorator budget-check (action a))', { type: 'budget-check', child: a }],
    ['(llm-call)', { type: 'llm-call', options: { timeoutMs: 120_000 } }],
    [
      `(llm-call :model (blackboard :model) :messages (blackboard :messages) :tools [http_probe "b"] :stream-to [:answer]
         :budget 500 :interruptible true :timeout 0.5)`,
      {
        type: 'llm-call',
        options: {
          ...{
            model: { blackboard: 'model' },
            messages: { blackboard: 'messages' },
            tools: ['http_probe', 'b'],
          },
          ...{ streamTo: ['answer'], budget: 500, interruptible: true, timeoutMs: 500 },
        },
      },
    ],
    ['(subtree part (action a))', { type: 'subtree', name: 'part', child: a }],
    ['(subtree helper)', { type: 'subtree', name: 'helper', child: a }],
    [
      '(subtree outer)',
      { type: 'subtree', name: 'outer', child: { type: 'subtree', name: 'helper', child: a } },
    ],
    [
      '(sequence (subtree part) (subtree part (action a)))',
      {
        type: 'sequence',
        children: [1, 2].map(() => ({ type: 'subtree', name: 'part', child: a })),
      },
    ],
    ['(action a) :finally (action b)', { type: 'finally', child: a, last: b }],
  ])('%s', (text, tree) => expect(compile(text)).toEqual(tree));

  it('reads name, description and blackboard of a tree', () => {
    const text =
      '(tree "my tree" :description "Says so." :blackboard-schema {:turn 0 :calls [] :deep {:a [nil "b" :c d]}} (action a))';
    expect(compileTree(text, 'my.tree', known)).toEqual({
      name: 'my tree',
      description: 'Says so.',
      blackboard: { turn: 0, calls: [], deep: { a: [null, 'b', 'c', 'd'] } },
      tree: a,
    });
  });
  it('compiles to plain JSON', () => {
    const tree = compile('(llm-call :budget (blackboard :n)) (subtree outer) :finally (action a)');
    expect(JSON.parse(JSON.stringify(tree))).toEqual(tree);
  });
});

describe('a fault', () => {
  it.each<[text: string, ...faults: string[]]>([
    ['', '1:1 expected (tree NAME …)'],
    ['(sequence)', '1:1 expected (tree NAME …), not (sequence …)'],
    [
      '(tree t (action a)) 7',
      '1:21 expected nothing after the tree, not the number 7: a file holds one',
    ],
    ['(tree (action a))', '1:7 tree needs a name: expected a symbol or a string, not (action …)'],
    ['(tree t)', '1:1 tree needs a body: expected a node such as (sequence …) or (action …)'],
    [
      '(tree t :description 7 (action a))',
      '1:22 expected a string for :description, not the number 7',
    ],
    [
      '(tree t :blackboard-schema [] (action a))',
      '1:28 expected a map for :blackboard-schema, not a vector',
    ],
    ['(tree t :blackboard-schema {:a (b)} (action a))', '1:32 expected a plain value, not (b …)'],
    ['(tree t (action a) :finally)', '1:20 expected a value for :finally'],
    ['(tree t a)', '1:9 expected a node such as (sequence …), not the symbol a'],
    ['(tree t ("a"))', '1:10 expected a node such as (sequence …), not the string "a"'],
    [
      '(tree t (sequenze (action a)))',
      expect.stringMatching(
        /^1:10 there is no node \(sequenze …\): did you mean "sequence"\? allowed: /,
      ) as unknown as string,
    ],
    [
      '(tree t (toString (action a)))',
      expect.stringMatching(/^1:10 there is no node \(toString …\): /) as unknown as string,
    ],
    ['(tree t (sequence))', '1:9 sequence needs a body: expected at least one node'],
    [
      '(tree t (inverter))',
      '1:9 inverter needs a body: expected a node such as (sequence …) or (action …)',
    ],
    ['(tree t (action))', '1:9 action needs the name of an action: expected a symbol or a string'],
    [
      '(tree t (action unknown))',
      '1:9 no action is called "unknown": allowed: a, b, tools.execute',
    ],
    ['(tree t (action a :fn b))', '1:23 expected a string for :fn, not the symbol b'],
    [
      '(tree t (action a :fn "c"))',
      '1:23 no action is called "c": did you mean "a"? allowed: a, b, tools.execute',
    ],
    ['(tree t (action a (action b)))', '1:19 action has no body; did not expect (action …)'],
    [
      '(tree t (condition y?))',
      '1:9 no condition is called "y?": did you mean "x?"? allowed: x?, within-budget?',
    ],
    ['(tree t (timeout (action a)))', '1:9 timeout needs :ms, a whole number from 1 to 86400000'],
    [
      '(tree t (timeout :ms "5" (action a)))',
      '1:22 expected a whole number from 1 to 86400000 for :ms, not the string "5"',
    ],
    [
      '(tree t (retry :times 0 (action a)))',
      '1:23 expected a whole number from 1 to 1000 for :times, not the number 0',
    ],
    [
      '(tree t (repeater :max-iterations 1.5 (action a)))',
      '1:35 expected a whole number from 1 to 1000000 for :max-iterations, not the number 1.5',
    ],
    [
      '(tree t (timeout :s 5 (action a)))',
      '1:18 timeout has no option :s: did you mean ":ms"? allowed: :ms',
      '1:9 timeout needs :ms, a whole number from 1 to 86400000',
    ],
    ['(tree t (retry :times 2 :times 3 (action a)))', '1:25 :times stands twice in this retry'],
    [
      '(tree t (repeater :max-iterations 2 :until-success :until-failure (action a)))',
      '1:9 repeater takes :until-success or :until-failure, not both',
    ],
    [
      '(tree t (parallel :policy all (action a)))',
      expect.stringMatching(/^1:27 expected a policy, not the symbol all: /) as unknown as string,
    ],
    [
      '(tree t (parallel :policy require-n (action a)))',
      '1:9 parallel needs :n, a whole number from 1 to 1000',
    ],
    [
      '(tree t (parallel :policy require-n :n 3 (action a)))',
      '1:40 expected at most 1 for :n, as many as there are nodes, not 3',
    ],
    ['(tree t (parallel :n 3 (action a)))', '1:22 :n goes with :policy require-n only'],
    [
      '(tree t (for-each calls (action a)))',
      '1:19 expected (blackboard :key), the list, not the symbol calls',
    ],
    [
      '(tree t (for-each))',
      '1:9 expected (blackboard :key), the list',
      '1:9 for-each needs a body: expected a node such as (sequence …) or (action …)',
    ],
    [
      '(tree t (decorator magic (action a)))',
      '1:9 there is no decorator "magic": expected budget-check',
    ],
    [
      '(tree t (llm-call :model 5 :tools [7] :budget 1.5 :interruptible nil :timeout 0))',
      '1:26 expected the name of a model or (blackboard :key) for :model, not the number 5',
      '1:35 expected a vector of names or (blackboard :key) for :tools, not a vector',
      '1:47 expected a whole number of tokens up to 2000000 or (blackboard :key) for :budget, not the number 1.5',
      '1:66 expected true or false for :interruptible, not nil',
      '1:79 expected seconds, more than 0 and up to 3600, for :timeout, not the number 0',
    ],
    [
      '(tree t (subtree nowhere))',
      '1:9 there is no tree "nowhere", and no part of this one is called so',
    ],
    ['(tree t (subtree p (action a)) (subtree p (action b)))', '1:41 there are two parts "p"'],
    [
      '(tree t\n (action unknown)\n (condition y)\n (frob))',
      '2:2 no action is called "unknown": allowed: a, b, tools.execute',
      '3:2 no condition is called "y": allowed: x?, within-budget?',
      expect.stringMatching(/^4:3 there is no node \(frob …\)/) as unknown as string,
    ],
  ])('%s', (text, ...faults) => {
    const placed = faults.map((fault) => (typeof fault === 'string' ? `t.tree:${fault}` : fault));
    const found = faultsOf(text);
    expect(found).toHaveLength(faults.length);
    for (const [i, fault] of placed.entries()) {
      if (typeof fault === 'string') expect(found[i]).toBe(fault);
      else expect(found[i]?.replace(/^t\.tree:/, '')).toEqual(fault);
    }
  });

  it('reports a fault of a subtree with its file', () => {
    expect(faultsOf('(tree t (subtree broken))')).toEqual([
      'broken.tree:2:3 no action is called "unknown": allowed: a, b, tools.execute',
    ]);
    expect(faultsOf('(tree t (subtree open))')).toEqual([
      'open.tree:1:1 this list is not closed: expected ")" before the end',
    ]);
    expect(faultsOf('(tree t (subtree whole))')).toEqual([
      'whole.tree:2:11 whole is used as a subtree, and cannot have a :finally: only a whole tree can',
    ]);
  });
  it('reports unknown blackboard keys if the keys are known', () => {
    const names = { ...known, blackboard: ['calls'] };
    expect(
      faultsOf(
        '(tree t :blackboard-schema {:own []} (for-each (blackboard :own) (for-each (blackboard :calls) (action a))))',
        names,
      ),
    ).toEqual([]);
    expect(faultsOf('(tree t (for-each (blackboard :call) (action a)))', names)).toEqual([
      't.tree:1:19 the blackboard has no :call: did you mean "calls"? allowed: calls',
    ]);
  });
});

describe('a cycle of subtrees', () => {
  it.each([
    ['(tree t (subtree t))', 't.tree:1:9 a cycle of subtrees: t → t'],
    ['(tree t (subtree ping))', 'pong.tree:2:13 a cycle of subtrees: ping → pong → ping'],
    ['(tree t (subtree p (action a) (subtree p)))', 't.tree:1:31 a cycle of subtrees: t/p → t/p'],
    [
      '(tree t (subtree p (subtree q)) (subtree q (subtree p)))',
      't.tree:1:44 a cycle of subtrees: t/p → t/q → t/p',
    ],
  ])('%s', (text, fault) => expect(faultsOf(text)).toContain(fault));
});

describe('refuses too much', () => {
  it('subtrees that double at each level', () => {
    expect(faultsOf('(tree t (subtree b0))')).toEqual([
      expect.stringContaining(`has more than ${TREE_BOUNDS.nodes} nodes, with its subtrees`),
    ]);
  });
  it('a tree that is too deep', () => {
    const deep = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `d${i}`,
        `(tree d${i} (inverter (subtree d${i + 1})))`,
      ]),
    );
    const tree = (name: string) => ({ file: name, text: deep[name] ?? '(tree end (action a))' });
    expect(faultsOf('(tree t (subtree d0))', { ...known, tree })).toEqual([
      expect.stringContaining(`is more than ${TREE_BOUNDS.depth} nodes deep`),
    ]);
  });
  it('more faults than the maximum', () => {
    expect(faultsOf(`(tree t ${'(frob) '.repeat(500)})`)).toHaveLength(50);
  });
});

it('compiles the tree file of an oracle', () => {
  const text = readFileSync(
    new URL('../../../test/fixtures/trees/oracle-agent.tree', import.meta.url),
    'utf8',
  );
  const every: KnownNames = {
    actions: [...text.matchAll(/:fn "([^"]+)"/g)].map(([, name]) => name as string),
    conditions: [...text.matchAll(/\(condition ([^)]+)\)/g)]
      .map(([, name]) => name as string)
      .concat('within-budget?'),
  };
  const { name, description, blackboard, tree } = compileTree(text, 'oracle-agent.tree', every);
  expect({ name, description, tree: tree.type }).toEqual({
    name: 'oracle-agent',
    description: 'Main Oracle chat agent',
    tree: 'finally',
  });
  expect(Object.keys(blackboard)).toHaveLength(11);
});
