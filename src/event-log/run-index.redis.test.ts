import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import type { RunHead } from '../domain/run.js';
import { enterDiagnoses } from './enter-diagnoses.js';
import { indexKeys } from './keys.js';
import type { RunState } from './log-types.js';
import { RunIndex, type IndexPlace } from './run-index.js';

const LISTS = { topologyId: 1, tenant: 'default' };

let own: TestRedis;
beforeEach(() => {
  own = testRedis();
});
afterEach(() => own.close());

it('lets one of several processes close a run, also after it was opened again', async () => {
  const index = new RunIndex(own.redis, { redisPrefix: own.prefix } as Config, Date);
  const closeTwice = async () =>
    (await Promise.all([index.close('r', LISTS), index.close('r', LISTS)])).toSorted();
  await index.add('r', LISTS, 'diagnosis');
  expect(await closeTwice()).toEqual([false, true]);
  expect(await closeTwice()).toEqual([false, false]);
  await index.reopen({ runId: 'r', endedAt: 1, ...LISTS });
  expect(await closeTwice()).toEqual([false, true]);
});

/** An index, and a log of chats (`c…`) and diagnoses of topology 1. */
function indexWithLog(now: () => number) {
  const index = new RunIndex(own.redis, { redisPrefix: own.prefix } as Config, { now });
  const kindOf = (runId: string) => (runId.startsWith('c') ? 'chat' : 'diagnosis');
  const head = (runId: string) => ({ kind: kindOf(runId), topologyId: 1, owner: 'default' });
  const state = async (runId: string) =>
    ({ head: head(runId) as unknown as RunHead }) as unknown as RunState;
  const enter = (goesOn = async () => true) => enterDiagnoses(index, { state }, now(), goesOn);
  const ids = async (limit: number, topologyId?: number) => {
    const range = { tenant: 'default', topologyId, diagnoses: true };
    return (await index.page(range, undefined, limit)).map(({ runId }) => runId);
  };
  return { index, enter, ids };
}

it('lists diagnoses apart from chats, also those that an earlier version accepted', async () => {
  let now = 1_000_000;
  const { index, enter, ids } = indexWithLog(() => now);
  const keys = indexKeys(own.prefix);
  const addedBefore = async (runId: string) =>
    Promise.all(
      [keys.all('default'), keys.topology('default', 1)].map((key) =>
        own.redis.zadd(key, now++, runId),
      ),
    );
  await addedBefore('d1');
  for (let i = 0; i < 120; i++) await index.add(`c${i}`, { ...LISTS, topologyId: 1 }, 'chat');
  expect(await ids(1)).toEqual(['c99']);
  now += 100_000;
  await enter(async () => false);
  expect(await ids(1)).toEqual(['c99']);
  await enter();
  expect(await ids(5)).toEqual(['d1']);
  await index.add('d2', LISTS, 'diagnosis');
  // A process of the earlier version that still runs.
  await addedBefore('d3');
  expect(await ids(5, 1)).toEqual(['d2', 'd1']);
  now += 100_000;
  await enter();
  expect(await ids(5)).toEqual(['d3', 'd2', 'd1']);
  for (const id of ['d1', 'd2', 'd3']) await index.remove(id, LISTS);
  expect([await ids(5), await ids(5, 1)]).toEqual([[], []]);
});

it('lists runs from the oldest on, page by page, in and after one millisecond', async () => {
  let now = 5_000;
  const index = new RunIndex(own.redis, { redisPrefix: own.prefix } as Config, { now: () => now });
  const lists = { topologyId: 9, tenant: 'oldest' };
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    await index.add(id, lists, 'diagnosis');
    if (id !== 'b' && id !== 'c') now += 1_000;
  }
  const range = { tenant: 'oldest', oldestFirst: true };
  const pages: string[][] = [];
  let place: IndexPlace | undefined;
  for (let i = 0; i < 3; i++) {
    const page = await index.page(range, place, 2);
    pages.push(page.map(({ runId }) => runId));
    place = page.at(-1);
  }
  expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  const after = await index.page({ ...range, since: 6_001 }, undefined, 1);
  expect(after.map(({ runId }) => runId)).toEqual(['e']);
});
