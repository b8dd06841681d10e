import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileTree } from '../domain/behaviour-tree/compile-tree.js';
import { settle } from '../domain/behaviour-tree/tick.js';
import type { Leaf, SavedMemory, TreeMemory, TreeOutcome } from '../domain/behaviour-tree/tree.js';
import { driveTree, type TreeHost } from './drive-tree.js';

const known = { actions: ['a', 'b', 'c'], conditions: ['x?'] };

interface World {
  host: TreeHost;
  log: string[];
  stop: AbortController;
}

type Way = (
  leaf: Leaf,
  signal: AbortSignal,
  host: TreeHost,
) => TreeOutcome | 'wait' | Promise<TreeOutcome | 'wait'>;

/** A host whose leaves run the given functions, or succeed at once. */
function world(
  body: string,
  ways: Partial<Record<'a' | 'b' | 'c', Way>> = {},
  memory: TreeMemory = new Map(),
): World {
  const log: string[] = [];
  const stop = new AbortController();
  const host: TreeHost = {
    tree: compileTree(`(tree t ${body})`, 't.tree', known).tree,
    memory,
    blackboard: {},
    test: () => true,
    carryOut: async (leaf, { signal }) => {
      log.push(`+${leaf.name}`);
      const outcome = (await ways[leaf.name as 'a']?.(leaf, signal, host)) ?? 'success';
      log.push(`${leaf.name} ${outcome}`);
      return outcome;
    },
    failed: (leaf, error) => void log.push(`${leaf.name} threw ${String(error)}`),
    noted: ({ name }) => void log.push(`noted ${name}`),
    stop: stop.signal,
    now: Date.now,
  };
  return { host, log, stop };
}

/** Waits until it is aborted, cleans up for a while, and logs it. */
const untilAborted =
  (log: () => string[], tidyMs = 5): Way =>
  async (leaf, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await sleep(tidyMs);
    log().push(`${leaf.name} tidied`);
    throw new Error('aborted');
  };

describe('driveTree', () => {
  it('runs a tree to its end', async () => {
    const { host, log } = world('(sequence (action a) (action b))');
    expect(await driveTree(host)).toEqual({ status: 'success' });
    expect(log).toEqual(['+a', 'a success', '+b', 'b success']);
    expect(await driveTree(host)).toEqual({ status: 'success' });
  });

  it('counts a leaf that throws as failed', async () => {
    const { host, log } = world('(selector (action a) (action b))', {
      a: () => {
        throw new Error('no');
      },
    });
    expect(await driveTree(host)).toEqual({ status: 'success' });
    expect(log).toEqual(['+a', 'a threw Error: no', '+b', 'b success']);
  });

  it('rethrows errors that do not concern the tree', async () => {
    const lost = new Error('the fence is lost');
    const { host } = world('(selector (action a) (action b))', { a: () => Promise.reject(lost) });
    host.failed = (_leaf, error) => {
      throw error;
    };
    await expect(driveTree(host)).rejects.toBe(lost);
    expect(host.memory.get('0.0')).toMatchObject({ status: 'running' });
  });

  it('waits and continues when it is called again', async () => {
    let arrived = false;
    const { host, log } = world('(sequence (action a) (action b))', {
      a: () => (arrived ? 'success' : 'wait'),
    });
    expect(await driveTree(host)).toEqual({ status: 'waiting', wakeAt: null });
    arrived = true;
    const saved = JSON.stringify(Object.fromEntries(host.memory));
    host.memory = new Map(Object.entries(JSON.parse(saved) as SavedMemory));
    expect(await driveTree(host)).toEqual({ status: 'success' });
    expect(log).toEqual(['+a', 'a wait', '+a', 'a success', '+b', 'b success']);
  });

  it('waits only if all remaining leaves wait, and returns until when', async () => {
    const { host, log } = world('(timeout :ms 60000 (parallel (action a) (action b)))', {
      a: () => 'wait',
      b: () => sleep(5, 'success' as const),
    });
    const driven = await driveTree(host);
    expect(driven).toEqual({ status: 'waiting', wakeAt: expect.any(Number) });
    expect(log).toEqual(['+a', '+b', 'a wait', 'b success', '+a', 'a wait']);
  });

  it('aborts a leaf that timed out and starts nothing before it has ended', async () => {
    const { host, log } = world('(selector (timeout :ms 20 (action a)) (action b))', {
      a: untilAborted(() => log),
    });
    expect(await driveTree(host)).toEqual({ status: 'success' });
    expect(log).toEqual(['+a', 'a tidied', '+b', 'b success']);
  });

  it('starts an aborted leaf again at the same place', async () => {
    let times = 0;
    const { host, log } = world('(retry :times 2 (timeout :ms 20 (action a)))', {
      a: (leaf, signal, of) =>
        ++times === 1 ? untilAborted(() => log)(leaf, signal, of) : 'success',
    });
    expect(await driveTree(host)).toEqual({ status: 'success' });
    expect(log).toEqual(['+a', 'a tidied', '+a', 'a success']);
  });

  it('starts nothing after a leaf that recorded its outcome until the leaf has ended', async () => {
    const { host, log } = world('(parallel (sequence (action a) (action c)) (action b))', {
      a: async (leaf, _signal, of) => {
        of.memory = settle(of.memory, leaf.path, 'success');
        return sleep(20, 'success' as const);
      },
      b: () => sleep(5, 'success' as const),
    });
    expect(await driveTree(host)).toEqual({ status: 'success' });
    expect(log).toEqual(['+a', '+b', 'b success', 'a success', '+c', 'c success']);
  });

  it('stops where it is and can be resumed', async () => {
    const { host, log, stop } = world('(sequence (action a) (action b)) :finally (action c)', {
      b: (leaf, signal, of) =>
        stop.signal.aborted ? 'success' : untilAborted(() => log, 0)(leaf, signal, of),
    });
    setTimeout(() => stop.abort(new Error('hand over')), 10);
    await expect(driveTree(host)).rejects.toThrow('hand over');
    const again = world('(sequence (action a) (action b)) :finally (action c)', {}, host.memory);
    expect(await driveTree(again.host)).toEqual({ status: 'success' });
    expect(again.log).toEqual(['+b', 'b success', '+c', 'c success']);
  });

  it('does not wait for a leaf that ignores the stop', async () => {
    const { host, stop } = world('(timeout :ms 5 (action a))', {
      a: () => new Promise<never>(() => undefined),
    });
    setTimeout(() => stop.abort(new Error('hand over')), 20);
    await expect(driveTree(host)).rejects.toThrow('hand over');
  });

  it('yields to other work during a long loop', async () => {
    const { host } = world('(repeater :max-iterations 100000 :until-success (condition x?))');
    host.test = () => false;
    let others = 0;
    const other = setInterval(() => others++, 0);
    expect(await driveTree(host)).toEqual({ status: 'failure' });
    clearInterval(other);
    expect(others).toBeGreaterThan(0);
  });
});
