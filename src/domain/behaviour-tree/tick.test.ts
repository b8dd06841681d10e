import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { settle, tick } from './tick.js';
import type { Tree, TreeMemory } from './tree.js';

const action = (name: string): Tree => ({ type: 'action', name });
const condition = (name: string): Tree => ({ type: 'condition', name });

type Outcome = 'success' | 'failure';

/** Runs a tree to its end. `outcomes` says how each leaf goes; `reload` puts the memory through JSON after every tick. */
function run(tree: Tree, outcomeOf: (name: string, nth: number) => Outcome, reload: boolean): { log: string[]; status: string } {
  const log: string[] = [];
  const counts = new Map<string, number>();
  let memory: TreeMemory = {};
  for (let i = 0; i < 200; i++) {
    const ticked = tick(tree, memory, (name) => outcomeOf(name, 0) === 'success');
    if (ticked.status !== 'running') return { log, status: ticked.status };
    memory = ticked.memory;
    for (const leaf of ticked.leaves) {
      const nth = counts.get(leaf.path) ?? 0;
      counts.set(leaf.path, nth + 1);
      log.push(leaf.name);
      memory = settle(memory, leaf.path, outcomeOf(leaf.name, nth));
    }
    if (reload) memory = JSON.parse(JSON.stringify(memory)) as TreeMemory;
  }
  return { log, status: 'endless' };
}

const always = (): Outcome => 'success';
const failing =
  (...names: string[]) =>
  (name: string): Outcome =>
    names.includes(name) ? 'failure' : 'success';

describe('a sequence', () => {
  const tree: Tree = { type: 'sequence', children: [action('a'), action('b'), action('c')] };
  it('does one after the other', () => expect(run(tree, always, false)).toEqual({ log: ['a', 'b', 'c'], status: 'success' }));
  it('stops at what fails', () => expect(run(tree, failing('b'), false)).toEqual({ log: ['a', 'b'], status: 'failure' }));
  it('goes on at its running child', () => {
    const first = tick(tree, {}, () => true);
    const second = tick(tree, settle(first.memory, '0.0', 'success'), () => true);
    expect(second.leaves.map((leaf) => leaf.name)).toEqual(['b']);
    expect(tick(tree, second.memory, () => true).leaves.map((leaf) => leaf.name)).toEqual(['b']);
  });
});

describe('a selector', () => {
  const tree: Tree = { type: 'selector', children: [condition('no'), action('a'), action('b')] };
  it('takes the first that works', () => expect(run(tree, failing('no'), false)).toEqual({ log: ['a'], status: 'success' }));
  it('goes on to the next', () => expect(run(tree, failing('no', 'a'), false)).toEqual({ log: ['a', 'b'], status: 'success' }));
  it('fails when all have', () => expect(run(tree, failing('no', 'a', 'b'), false).status).toBe('failure'));
});

describe('a parallel', () => {
  const tree = (policy: 'all' | 'one' | 'continue'): Tree => ({ type: 'parallel', policy, children: [action('a'), action('b')] });
  it('names its children at once', () => expect(tick(tree('all'), {}, () => true).leaves).toHaveLength(2));
  it.each([
    ['all', ['a'], 'failure'],
    ['all', [], 'success'],
    ['one', ['a'], 'success'],
    ['one', ['a', 'b'], 'failure'],
    ['continue', ['a', 'b'], 'success'],
  ] as const)('of policy %s, where %j fail, ends in %s', (policy, failed, status) => {
    expect(run(tree(policy), failing(...failed), false).status).toBe(status);
  });
});

describe('a repeater', () => {
  it('repeats until it has the outcome it wants', () => {
    const tree: Tree = { type: 'repeater', until: 'success', max: 10, child: { type: 'sequence', children: [action('a'), action('b')] } };
    const third = (name: string, nth: number): Outcome => (name === 'b' && nth < 2 ? 'failure' : 'success');
    expect(run(tree, third, false)).toEqual({ log: ['a', 'b', 'a', 'b', 'a', 'b'], status: 'success' });
  });
  it('gives up after as many times as it may', () => {
    const tree: Tree = { type: 'repeater', until: 'success', max: 3, child: action('a') };
    expect(run(tree, failing('a'), false)).toEqual({ log: ['a', 'a', 'a'], status: 'failure' });
  });
});

const { tree: anyTree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c').map(action),
    fc.constantFrom('x', 'y').map(condition),
    fc.record({
      type: fc.constantFrom('sequence' as const, 'selector' as const),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant('parallel' as const),
      policy: fc.constantFrom('all' as const, 'one' as const, 'continue' as const),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant('repeater' as const),
      until: fc.constantFrom('success' as const, 'failure' as const),
      max: fc.integer({ min: 1, max: 3 }),
      child: tie('tree'),
    }),
  ),
}));

it('goes on from a saved memory exactly as it would have without stopping', () => {
  const outcomes = fc.array(fc.constantFrom<Outcome>('success', 'failure'), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(anyTree, outcomes, (tree, script) => {
      const outcomeOf = (name: string, nth: number) => script[(name.charCodeAt(0) + nth) % script.length] as Outcome;
      expect(run(tree, outcomeOf, true)).toEqual(run(tree, outcomeOf, false));
    }),
  );
});

it('does not change the memory that it is given', () => {
  const memory: TreeMemory = Object.freeze({});
  tick({ type: 'sequence', children: [action('a')] }, memory, () => true);
  expect(memory).toEqual({});
});
