import { describe, expect, it } from '@jest/globals';
import { faultsOf, known } from '../../../test/support/models/tree-files.js';
import { TREE_BOUNDS } from './compilation.js';

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
