import { beforeEach, expect, it } from '@jest/globals';
import { spec, started } from '../../test/support/incidents/drafts.js';
import type { RunHead } from '../domain/run.js';
import { MemoryLog } from '../event-log/memory-log.js';
import type { RunIndex } from '../event-log/run-index.js';
import type { JobRepair } from './job-repair.js';
import type { RunControl } from './run-control.js';
import { RunCloser } from './run-closer.js';
import { RunRepair } from './run-repair.js';

let now: number;
let log: MemoryLog;
let left: string[];
let abandoned: boolean;
let told: string[];
let repair: RunRepair;
const createdAt = 1_000_000;
beforeEach(async () => {
  now = createdAt;
  [left, abandoned, told] = [[], false, []];
  log = new MemoryLog(undefined, () => now);
  const index = {
    remove: async () => void told.push('removed'),
    close: async () => void told.push('closed'),
  } as unknown as RunIndex;
  const control = {
    fail: async (_: string, code: string) => void told.push(code),
    cancelIfAbandoned: async (_: string, { onDisconnect }: RunHead) =>
      abandoned && onDisconnect === 'cancel',
    removeJobs: async () => left,
  } as unknown as RunControl;
  const jobs = { repair: async () => void told.push('jobs') } as unknown as JobRepair;
  repair = new RunRepair(log, new RunCloser(log, index, []), control, jobs, { now: () => now });
});

const after = async (ms: number): Promise<string[]> => {
  now = createdAt + ms;
  told = [];
  await repair.repair({ runId: 'r', topologyId: 1, tenant: 'default', createdAt });
  return told;
};

it('forgets a run without a log after a minute', async () => {
  expect([await after(60_000), await after(60_001)]).toEqual([[], ['removed']]);
});

it('repairs the jobs of a run after 2 s and ends it 5 s after its deadline', async () => {
  await log.create('r', spec, [started]);
  const deadline = spec.limits.timeoutSeconds * 1_000;
  expect([await after(1_999), await after(2_000), await after(deadline + 5_000)]).toEqual([
    [],
    ['jobs'],
    ['jobs'],
  ]);
  expect(await after(deadline + 5_001)).toEqual(['DEADLINE']);
});

it('cancels a run with onDisconnect "cancel" and without followers', async () => {
  await log.create('r', { ...spec, onDisconnect: 'cancel' }, [started]);
  expect(await after(11_000)).toEqual(['jobs']);
  abandoned = true;
  expect(await after(12_000)).toEqual([]);
});

it('closes a run that has ended when no process works on it', async () => {
  await log.create('r', spec, [started]);
  await log.seal('r', () => ({
    name: 'lifecycle.cancelled',
    source: null,
    data: { reason: 'x', report: null },
  }));
  left = ['d1'];
  expect(await after(1)).toEqual([]);
  left = [];
  expect(await after(2)).toEqual(['closed']);
});
