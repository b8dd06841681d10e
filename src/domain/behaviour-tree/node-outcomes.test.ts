import { describe, expect, it } from '@jest/globals';
import {
  a,
  b,
  c,
  condition,
  playTree,
  selector,
  sequence,
  world,
} from '../../../test/support/models/play-tree.js';
import type { TreeOutcome, Policy, Tree } from './tree.js';

describe('outcome and started leaves of each node', () => {
  const list = (child: Tree, atOnce?: Policy): Tree => ({
    type: 'for-each',
    list: 'items',
    child,
    ...(atOnce && { atOnce }),
  });
  const parallel = (policy: Policy): Tree => ({ type: 'parallel', ...policy, children: [a, b, c] });
  const all: Policy = { policy: 'all' };
  const one: Policy = { policy: 'one' };
  const two: Policy = { policy: 'n', n: 2 };
  const go: Policy = { policy: 'continue' };
  const table: [what: string, tree: Tree, fails: string, status: TreeOutcome, begun: string][] = [
    ['a sequence does one after the other', sequence(a, b, c), '', 'success', 'abc'],
    ['a sequence stops at what fails', sequence(a, b, c), 'b', 'failure', 'ab'],
    ['a sequence stops at a no', sequence(a, condition('x'), c), 'x', 'failure', 'a'],
    ['a selector takes the first that works', selector(condition('x'), a, b), 'x', 'success', 'a'],
    ['a selector goes on to the next', selector(a, b, c), 'a', 'success', 'ab'],
    ['a selector fails when all have', selector(a, b), 'ab', 'failure', 'ab'],
    ['all: all', parallel(all), '', 'success', 'abc'],
    ['all: not all', parallel(all), 'b', 'failure', 'abc'],
    ['one: one', parallel(one), 'ab', 'success', 'abc'],
    ['one: none', parallel(one), 'abc', 'failure', 'abc'],
    ['n: as many', parallel(two), 'b', 'success', 'abc'],
    ['n: fewer', parallel(two), 'ab', 'failure', 'abc'],
    ['continue: whatever fails', parallel(go), 'abc', 'success', 'abc'],
    [
      'a parallel that is decided begins nothing more',
      { type: 'parallel', ...one, children: [condition('y'), a] },
      '',
      'success',
      '',
    ],
    ['for-each', list(a), '', 'success', 'a#0a#1a#2'],
    ['for-each stops at what fails', list(sequence(a, b)), 'b', 'failure', 'a#0b#0'],
    ['for-each at once', list(a, all), '', 'success', 'a#0a#1a#2'],
    ['for-each at once, all fail', list(a, go), 'a', 'success', 'a#0a#1a#2'],
    ['for-each of an empty list', { type: 'for-each', list: 'empty', child: a }, '', 'success', ''],
    [
      'for-each of an empty list, one needed',
      { type: 'for-each', list: 'empty', child: a, atOnce: one },
      '',
      'success',
      '',
    ],
    [
      'for-each of what is not there',
      { type: 'for-each', list: 'nowhere', child: a },
      '',
      'success',
      '',
    ],
    [
      'for-each of what is no list',
      { type: 'for-each', list: 'number', child: a },
      '',
      'failure',
      '',
    ],
    [
      'for-each of what every object has',
      { type: 'for-each', list: 'constructor', child: a },
      '',
      'success',
      '',
    ],
    [
      'repeater until success',
      { type: 'repeater', until: 'success', max: 3, child: a },
      '',
      'success',
      'a',
    ],
    [
      'repeater until success, which never comes',
      { type: 'repeater', until: 'success', max: 3, child: a },
      'a',
      'failure',
      'aaa',
    ],
    [
      'repeater until failure',
      { type: 'repeater', until: 'failure', max: 3, child: a },
      'a',
      'success',
      'a',
    ],
    [
      'repeater until failure, which never comes',
      { type: 'repeater', until: 'failure', max: 2, child: a },
      '',
      'failure',
      'aa',
    ],
    [
      'repeater by count',
      { type: 'repeater', until: 'count', max: 3, child: a },
      'a',
      'success',
      'aaa',
    ],
    [
      'retry, at once right',
      { type: 'retry', times: 3, child: sequence(a, b) },
      '',
      'success',
      'ab',
    ],
    [
      'retry without a success',
      { type: 'retry', times: 3, child: sequence(a, b) },
      'b',
      'failure',
      'ababab',
    ],
    ['inverter', { type: 'inverter', child: a }, '', 'failure', 'a'],
    ['inverter of a failure', { type: 'inverter', child: a }, 'a', 'success', 'a'],
    ['always-succeed', { type: 'always-succeed', child: a }, 'a', 'success', 'a'],
    ['always-succeed of nothing', { type: 'always-succeed' }, '', 'success', ''],
    ['always-fail', { type: 'always-fail', child: a }, '', 'failure', 'a'],
    ['always-fail of nothing', { type: 'always-fail' }, '', 'failure', ''],
    ['guard', { type: 'guard', condition: 'x', child: a }, '', 'success', 'a'],
    ['guard that says no', { type: 'guard', condition: 'x', child: a }, 'x', 'failure', ''],
    ['budget-check', { type: 'budget-check', child: a }, '', 'success', 'a'],
    [
      'budget-check without budget',
      { type: 'budget-check', child: a },
      'within-budget?',
      'failure',
      '',
    ],
    ['subtree', { type: 'subtree', name: 'part', child: a }, 'a', 'failure', 'a'],
    ['finally, after success', { type: 'finally', child: a, last: b }, '', 'success', 'ab'],
    ['finally, after failure', { type: 'finally', child: a, last: b }, 'a', 'failure', 'ab'],
    ['finally that fails', { type: 'finally', child: a, last: b }, 'b', 'failure', 'ab'],
    ['an action', a, 'a', 'failure', 'a'],
    ['an action by its function', { type: 'action', name: 'label', fn: 'b' }, '', 'success', 'b'],
    ['a condition', condition('x'), 'x', 'failure', ''],
    ['an llm-call', { type: 'llm-call' }, '', 'success', 'llm-call'],
  ];
  it.each(table)('%s', (_what, tree, fails, status, begun) => {
    const played = playTree(tree, {
      ...world(fails),
      blackboard: { items: [1, 2, 3], empty: [], number: 3 },
    });
    expect({ status: played.status, begun: played.begun.join('') }).toEqual({ status, begun });
  });
});
