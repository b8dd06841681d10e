import { expect, test } from '@jest/globals';
import { until } from '../../support/until.js';
import type { Cluster, NodeProcess } from './cluster.js';
import { Fleet } from './fleet.js';

interface Fake {
  pid: number;
  url: string;
  isAlive: boolean;
  hasFailed: boolean;
}

function fleet() {
  const started: Fake[] = [];
  const start = (role: string) => {
    const fake = { pid: started.length, url: role, isAlive: true, hasFailed: false };
    started.push(fake);
    return Promise.resolve(fake as unknown as NodeProcess);
  };
  return { started, fleet: new Fleet({ start } as unknown as Cluster) };
}

test('replaces processes that end, and reports those that failed or were to be spared', async () => {
  const { started, fleet: kept } = fleet();
  await kept.start(['api', 'worker', 'worker', 'worker']);
  expect(kept.spared.map(({ pid }) => pid)).toEqual([0, 1]);
  const keeping = kept.keep();
  const [, spared, killed, failed] = started as [Fake, Fake, Fake, Fake];
  killed.isAlive = false;
  await until('a replacement', () => started.length === 5);
  expect(kept.failures).toEqual([]);
  [failed.isAlive, failed.hasFailed, spared.isAlive] = [false, true, false];
  await until('two more', () => started.length === 7);
  kept.stopKeeping();
  await keeping;
  expect(kept.failures.toSorted()).toEqual([
    'a process ended unexpectedly: worker 1',
    'a process ended unexpectedly: worker 3',
  ]);
  expect(kept.processes.filter(({ isAlive }) => isAlive)).toHaveLength(4);
});

test('never chooses a spared process for a deadly fault', async () => {
  const { fleet: kept } = fleet();
  await kept.start(['worker', 'worker']);
  const chosen = (deadly: boolean) =>
    [0, 0.3, 0.6, 0.99].map((throwOf) => kept.choose('worker', () => throwOf, deadly)?.pid);
  expect([chosen(true), chosen(false)]).toEqual([
    [1, 1, 1, 1],
    [0, 0, 1, 1],
  ]);
  expect(kept.choose('api', () => 0, true)).toBeUndefined();
});
