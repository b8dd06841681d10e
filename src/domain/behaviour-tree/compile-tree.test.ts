import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { known } from '../../../test/support/models/tree-files.js';
import type { KnownNames } from './compilation.js';
import { compileTree } from './compile-tree.js';
import type { Tree } from './tree.js';

const compile = (body: string, names = known): Tree =>
  compileTree(`(tree t ${body})`, 't.tree', names).tree;

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
          model: { blackboard: 'model' },
          messages: { blackboard: 'messages' },
          tools: ['http_probe', 'b'],
          streamTo: ['answer'],
          budget: 500,
          interruptible: true,
          timeoutMs: 500,
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
