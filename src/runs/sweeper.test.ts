import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { until } from '../../test/support/until.js';
import type { Config } from '../config/config.js';
import type { OpenRun, RunIndex } from '../event-log/run-index.js';
import type { QueuePort } from '../queues/queue-port.js';
import type { RunRepair } from './run-repair.js';
import { Sweeper } from './sweeper.js';

Logger.overrideLogger(false);

let open: OpenRun[];
let sweeps: number;
let ended: number;
let failing: string | undefined;
let away: boolean;
let repaired: string[];
let sweeper: Sweeper;
beforeEach(() => {
  [open, sweeps, ended, failing, away, repaired] = [[], 0, 0, undefined, false, []];
  const index = {
    open: async () => {
      sweeps++;
      if (away) throw new Error('Connection is closed.');
      return open;
    },
  } as unknown as RunIndex;
  const repair = {
    repair: async ({ runId }: OpenRun) => {
      repaired.push(runId);
      if (runId === failing) throw new Error('cannot be repaired');
    },
  } as unknown as RunRepair;
  const queues = { endDelays: async () => void ended++ } as unknown as QueuePort;
  sweeper = new Sweeper(index, repair, queues, { sweepSeconds: 0.001 } as Config);
});
afterEach(() => sweeper.onApplicationShutdown());

const run = (runId: string): OpenRun => ({ runId, topologyId: 1, tenant: 'default', createdAt: 1 });
const sweepsMore = async (): Promise<void> => {
  const before = sweeps;
  await until('two more sweeps', () => sweeps > before + 1);
};

it('repairs the open runs in every sweep, and no other run', async () => {
  open = [run('a'), run('b')];
  sweeper.onApplicationBootstrap();
  await sweepsMore();
  expect(repaired.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
  open = [run('b')];
  await sweepsMore();
  repaired = [];
  await sweepsMore();
  expect(new Set(repaired)).toEqual(new Set(['b']));
});

it('repairs the other runs if one cannot be repaired', async () => {
  open = [run('a'), run('b')];
  failing = 'a';
  await sweeper.sweep();
  expect(repaired).toEqual(['a', 'b']);
});

it('ends the delays that are over in every sweep', async () => {
  await sweeper.sweep();
  await sweeper.sweep();
  expect(ended).toBe(2);
});

it('sweeps again after the store was unavailable', async () => {
  open = [run('a')];
  away = true;
  sweeper.onApplicationBootstrap();
  await sweepsMore();
  expect(repaired).toEqual([]);
  away = false;
  await until('a repair', () => repaired.length > 0);
});

it('sweeps no more after the shutdown', async () => {
  sweeper.onApplicationBootstrap();
  await sweepsMore();
  await sweeper.onApplicationShutdown();
  const before = sweeps;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(sweeps).toBe(before);
});
