import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyTree } from '../../../test/support/generators/any-tree.js';
import { playTree, type Script } from '../../../test/support/models/play-tree.js';
import type { TreeOutcome, Tree } from './tree.js';

const outcome = fc.constantFrom<TreeOutcome>('success', 'failure');
const leafScript = fc.array(fc.record({ outcome, ms: fc.constantFrom(0, 0, 1, 7, 15, 40) }), {
  minLength: 7,
  maxLength: 7,
});
const pick = <Value>(values: readonly Value[], name: string, nth: number): Value =>
  values[(name.charCodeAt(0) * 5 + name.length + nth) % values.length] as Value;
const lists = () => ({
  none: [],
  one: [{ id: 1 }],
  three: [1, 'two', { id: 3 }],
  model: 'gpt',
  list: [1],
});

it('continues from a saved memory as without an interruption, wherever it is interrupted', () => {
  const whole = fc.record({
    tree: anyTree(),
    leaves: leafScript,
    answers: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    stops: fc.array(fc.boolean(), { minLength: 3, maxLength: 11 }),
  });
  fc.assert(
    fc.property(whole, ({ tree, leaves, answers, stops }) => {
      const script = (): Script => ({
        leaf: (name, nth) => pick(leaves, name, nth),
        test: (name, nth) => pick(answers, name, nth),
        blackboard: lists(),
        // A leaf that changes the list of its for-each must not affect the for-each.
        effect: (name, blackboard) => {
          const [first] = blackboard['three'] as unknown[];
          if (name === 'a') (blackboard['three'] as unknown[]).push(first);
          if (name === 'b') Object.assign((blackboard['one'] as object[])[0] ?? {}, { id: 2 });
        },
      });
      const straight = playTree(tree, script());
      expect(
        playTree(tree, { ...script(), reload: (tick) => stops[tick % stops.length] === true }),
      ).toEqual(straight);
      expect(playTree(tree, { ...script(), reload: () => true })).toEqual(straight);
      expect(['success', 'failure']).toContain(straight.status);
    }),
    { numRuns: 1_000 },
  );
});

/** A reference implementation without memory: the tree as a program. */
function carryOut(
  tree: Tree,
  leaf: (name: string) => TreeOutcome,
  board: Record<string, unknown>,
): TreeOutcome {
  const run = (node: Tree): TreeOutcome => carryOut(node, leaf, board);
  const inOrder = (nodes: readonly Tree[], goesOn: TreeOutcome): TreeOutcome => {
    for (const node of nodes) {
      const outcome = run(node);
      if (outcome !== goesOn) return outcome;
    }
    return goesOn;
  };
  switch (tree.type) {
    case 'sequence':
      return inOrder(tree.children, 'success');
    case 'selector':
      return inOrder(tree.children, 'failure');
    case 'for-each':
      return inOrder(
        Array<Tree>((board[tree.list] as unknown[]).length).fill(tree.child),
        'success',
      );
    case 'repeater':
      for (let i = 0; i < tree.max; i++) if (run(tree.child) === tree.until) return 'success';
      return tree.until === 'count' ? 'success' : 'failure';
    case 'retry':
      for (let i = 0; i < tree.times; i++) if (run(tree.child) === 'success') return 'success';
      return 'failure';
    case 'inverter':
      return run(tree.child) === 'success' ? 'failure' : 'success';
    case 'always-succeed':
    case 'always-fail':
      if (tree.child) run(tree.child);
      return tree.type === 'always-succeed' ? 'success' : 'failure';
    case 'subtree':
      return run(tree.child);
    case 'finally': {
      const body = run(tree.child);
      return run(tree.last) === 'success' ? body : 'failure';
    }
    case 'action':
      return leaf(tree.fn ?? tree.name);
    case 'parallel':
    case 'timeout':
    case 'cooldown':
    case 'guard':
    case 'budget-check':
    case 'condition':
    case 'llm-call':
      throw new Error(`${tree.type} does not take turns`);
  }
}

it('has the outcome of the reference implementation', () => {
  fc.assert(
    fc.property(anyTree('parallel', 'time', 'model', 'ask'), leafScript, (tree, leaves) => {
      const begun: string[] = [];
      const counts = new Map<string, number>();
      const status = carryOut(
        tree,
        (name) => {
          const nth = counts.get(name) ?? 0;
          counts.set(name, nth + 1);
          begun.push(name);
          return pick(leaves, name, nth).outcome;
        },
        lists(),
      );
      fc.pre(begun.length < 500);
      const played = playTree(tree, {
        leaf: (name, nth) => pick(leaves, name, nth),
        blackboard: lists(),
      });
      expect({
        status: played.status,
        begun: played.begun.map((name) => name.replace(/#\d+$/, '')),
      }).toEqual({ status, begun });
    }),
    { numRuns: 500 },
  );
});
