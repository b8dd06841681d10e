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
import { settle, tick } from './tick.js';
import type { Tree, TreeMemory } from './tree.js';

describe('memory', () => {
  it('resumes a sequence at its running child and returns running leaves again', () => {
    const first = tick(sequence(a, b), new Map(), () => true);
    const second = tick(sequence(a, b), settle(first.memory, '0.0', 'success'), () => true);
    expect(second.leaves).toEqual([{ path: '0.1', type: 'action', name: 'b' }]);
    expect(tick(sequence(a, b), second.memory, () => true).leaves).toEqual(second.leaves);
  });
  it('does not evaluate the passed children of a sequence again', () => {
    let asked = 0;
    playTree(sequence(condition('x'), a, b, c), { test: () => ++asked > 0 });
    expect(asked).toBe(1);
  });
  it('is proportional to the running path', () => {
    const many = Array.from({ length: 100 }, () => sequence(a, b));
    expect(playTree(sequence(...many)).most).toBe(3);
  });
  it('is not changed by a tick', () => {
    const memory: TreeMemory = new Map();
    tick(sequence(a), memory, () => true);
    expect(memory.size).toBe(0);
  });
  it('has the outcome of a tree that has ended', () => {
    const ended: TreeMemory = new Map([['0', { status: 'failure' }]]);
    expect(tick(sequence(a), ended, () => true)).toMatchObject({
      status: 'failure',
      memory: ended,
      leaves: [],
    });
  });
  it('ignores the outcome of a leaf that does not run', () => {
    const { memory } = tick(sequence(a, b), new Map(), () => true);
    expect(settle(memory, '0.1', 'failure')).toBe(memory);
  });
  it('has the list of a for-each as of its start', () => {
    const tree: Tree = { type: 'for-each', list: 'items', child: a };
    const effect = (_name: string, blackboard: Record<string, unknown>) =>
      void (blackboard['items'] as number[]).shift();
    expect(playTree(tree, { blackboard: { items: [1, 2, 3] }, effect }).begun).toEqual([
      'a#0',
      'a#1',
      'a#2',
    ]);
  });
});

describe('aborts', () => {
  const slow = { a: 5, b: 50, c: 500 };
  it('the other children of a decided parallel', () => {
    const tree: Tree = { type: 'parallel', policy: 'one', children: [a, sequence(b, c), c] };
    expect(playTree(tree, world('', slow)).log).toEqual([
      '0 +a',
      '0 +b',
      '0 +c',
      '5 a success',
      '5 -b',
      '5 -c',
    ]);
  });
  it('the child of a guard whose condition became false', () => {
    const tree: Tree = {
      type: 'parallel',
      policy: 'continue',
      children: [a, { type: 'guard', condition: 'x', child: b }],
    };
    const played = playTree(tree, { ...world('', slow), test: (_name, nth) => nth === 0 });
    expect(played.log).toEqual(['0 +a', '0 +b', '5 a success', '5 -b']);
  });
  it('nothing that has not started', () => {
    const tree = selector({ type: 'timeout', ms: 5, child: sequence(a, b) }, c);
    expect(playTree(tree, world('', slow)).log).toEqual([
      '0 +a',
      '5 a success',
      '5 +c',
      '505 c success',
    ]);
  });
});

describe('time', () => {
  it('ends a child after its time', () => {
    const tree: Tree = { type: 'timeout', ms: 30, child: a };
    expect(playTree(tree, world('', { a: 31 }))).toMatchObject({
      status: 'failure',
      log: ['0 +a', '30 -a'],
    });
    expect(playTree(tree, world('', { a: 29 })).status).toBe('success');
    expect(playTree(tree, world('', { a: 30 })).status).toBe('success');
  });
  it('starts again for a retry at the same place', () => {
    const tree: Tree = { type: 'retry', times: 2, child: { type: 'timeout', ms: 30, child: a } };
    const leaf = (_name: string, nth: number) => ({
      outcome: 'success' as const,
      ms: nth === 0 ? 100 : 20,
    });
    expect(playTree(tree, { leaf })).toMatchObject({
      status: 'success',
      log: ['0 +a', '30 -a', '30 +a', '50 a success'],
    });
  });
  it('must pass before a retry, even if the parent was restarted', () => {
    const cooled: Tree = { type: 'cooldown', ms: 20, child: a };
    const tree: Tree = { type: 'repeater', until: 'count', max: 4, child: selector(cooled, b) };
    expect(playTree(tree, world('', { a: 5, b: 10 })).log).toEqual([
      '0 +a',
      '5 a success',
      '5 +b',
      '15 b success',
      '15 +b',
      '25 b success',
      '25 +a',
      '30 a success',
    ]);
  });
  it('continues after the parent has ended', () => {
    const cooled: Tree = { type: 'cooldown', ms: 20, child: a };
    const tree: Tree = {
      type: 'repeater',
      until: 'count',
      max: 2,
      child: { type: 'parallel', policy: 'continue', children: [cooled, b] },
    };
    expect(playTree(tree, world('', { a: 5, b: 10 })).begun).toEqual(['a', 'b', 'b']);
  });
  it('returns the earliest time to wake up', () => {
    const timeout = (ms: number, child: Tree): Tree => ({ type: 'timeout', ms, child });
    const { wakeAt } = tick(timeout(50, timeout(20, a)), new Map(), {
      now: 1_000,
      blackboard: {},
      test: () => true,
    });
    expect(wakeAt).toBe(1_020);
    expect(tick(a, new Map(), () => true).wakeAt).toBeNull();
  });
});

describe('failures', () => {
  it('counts a leaf that throws as failed', () => {
    const leaf = (name: string) => {
      if (name === 'a') throw new Error('no');
      return { outcome: 'success' as const };
    };
    expect(playTree(selector(a, b), { leaf })).toMatchObject({
      status: 'success',
      begun: ['a', 'b'],
    });
  });
  it('counts a condition that throws as false and reports it', () => {
    const error = new Error('no');
    const test = () => {
      throw error;
    };
    const ticked = tick(selector(condition('x'), a), new Map(), { now: 0, blackboard: {}, test });
    expect(ticked).toMatchObject({
      leaves: [{ name: 'a' }],
      faults: [{ path: '0.0', name: 'x', error }],
    });
  });
  it('yields in a loop without leaves', () => {
    const endless: Tree = {
      type: 'repeater',
      until: 'success',
      max: 1_000_000,
      child: condition('x'),
    };
    const ticked = tick(endless, new Map(), { now: 7, blackboard: {}, test: () => false });
    expect(ticked).toMatchObject({ status: 'running', leaves: [], wakeAt: 7 });
    expect(playTree({ ...endless, max: 30_000 }, world('x')).status).toBe('failure');
  });
});

describe('a leaf', () => {
  it('has the entry of its for-each, also below other nodes, and so has a condition', () => {
    const asked: unknown[] = [];
    const tree: Tree = {
      type: 'for-each',
      list: 'items',
      child: sequence(condition('x'), { type: 'inverter', child: a }),
    };
    const test = (_name: string, item: unknown) => asked.push(item) > 0;
    const { leaves } = tick(tree, new Map(), { now: 0, blackboard: { items: [{ id: 7 }] }, test });
    expect(leaves).toEqual([
      { path: '0.0.1.0', type: 'action', name: 'a', item: { value: { id: 7 }, index: 0 } },
    ]);
    expect(asked).toEqual([{ value: { id: 7 }, index: 0 }]);
  });
  it('has the options of a model call with resolved references', () => {
    const ref = (blackboard: string) => ({ blackboard });
    const options = {
      model: ref('model'),
      messages: ref('list'),
      tools: ref('model'),
      budget: ref('gone'),
      timeoutMs: 5,
    };
    const ticked = tick({ type: 'llm-call', options }, new Map(), {
      now: 0,
      blackboard: { model: 'gpt', list: [1] },
      test: () => true,
    });
    expect(ticked.leaves[0]?.options).toEqual({ model: 'gpt', messages: [1], timeoutMs: 5 });
    expect(ticked.faults.map(({ error }) => String(error))).toEqual([
      'TypeError: :tools is (blackboard :model), which is not a list of names',
    ]);
  });
});
