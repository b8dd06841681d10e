import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Leases } from './leases.js';

const LOCK_MS = 1_000;

/** The locks as Redis has them, and whether it can be reached. */
let owners: Map<string, string>;
let reachable: boolean;
let now: number;
let lost: string[];
let leases: Leases;
beforeEach(() => {
  [owners, reachable, now, lost] = [new Map<string, string>(), true, 0, [] as string[]];
  const extend = async (ids: string[], tokens: string[]): Promise<string[]> => {
    if (!reachable) throw new Error('Connection is closed.');
    return ids.filter((id, i) => owners.get(id) !== tokens[i]);
  };
  leases = new Leases(extend, LOCK_MS, () => now);
});
afterEach(() => leases.close());

const take = (id: string, token: string): (() => void) => {
  owners.set(id, token);
  return leases.hold(id, token, () => lost.push(token));
};
const later = async (ms: number): Promise<void> => {
  now += ms;
  await leases.turn();
};

it('keeps a lock for as long as it is wanted', async () => {
  const release = take('job', 'mine');
  for (let i = 0; i < 20; i++) await later(LOCK_MS / 2);
  expect(lost).toEqual([]);
  release();
  owners.clear();
  await later(LOCK_MS);
  expect(lost).toEqual([]);
});

it('reports once that another process has a lock', async () => {
  take('job', 'mine');
  take('other', 'also mine');
  owners.set('job', 'theirs');
  await later(LOCK_MS / 4);
  await later(LOCK_MS / 4);
  expect(lost).toEqual(['mine']);
});

it('counts a lock as lost when it has run out, also if Redis cannot be asked', async () => {
  take('job', 'mine');
  reachable = false;
  await later(LOCK_MS - 1);
  expect(lost).toEqual([]);
  await later(2);
  expect(lost).toEqual(['mine']);
});

it('survives a time without Redis that is shorter than the lock', async () => {
  take('job', 'mine');
  reachable = false;
  await later(LOCK_MS / 2);
  reachable = true;
  await later(LOCK_MS / 4);
  await later(LOCK_MS / 2);
  expect(lost).toEqual([]);
});

it('knows a job that came back to this process from its predecessor, whose end does not touch it', async () => {
  const release = take('job', 'first');
  take('job', 'second');
  expect(lost).toEqual(['first']);
  release();
  await later(LOCK_MS / 2);
  owners.set('job', 'theirs');
  await later(LOCK_MS / 2);
  expect(lost).toEqual(['first', 'second']);
});
