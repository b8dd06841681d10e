import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { spec, started } from '../../test/support/incidents/drafts.js';
import { until } from '../../test/support/until.js';
import type { DraftEvent } from '../domain/events/event.js';
import { MemoryLog } from '../event-log/memory-log.js';
import type { RunState } from '../event-log/log-port.js';
import { MemoryQueue } from '../queues/memory-queue.js';
import { JobRepair } from './job-repair.js';
import type { RunControl } from './run-control.js';

beforeAll(() => void Logger.overrideLogger(false));
afterAll(() => void Logger.overrideLogger(['error']));

let now: number;
let log: MemoryLog;
let queue: MemoryQueue;
let ended: string[];
let restarted: string[];
let repair: JobRepair;
beforeEach(async () => {
  now = 1_000_000;
  [ended, restarted] = [[], []];
  log = new MemoryLog(undefined, () => now);
  queue = new MemoryQueue(1);
  const control = {
    start: (runId: string) =>
      queue.start({ runId, dispatchId: null, agentId: 'g', task: '?' }, 'global_supervisor'),
    fail: async (_: string, code: string) => void ended.push(code),
  } as unknown as RunControl;
  const lifecycle = { beforeRestart: async (runId: string) => void restarted.push(runId) };
  repair = new JobRepair(log, queue, control, { now: () => now }, [lifecycle]);
  await log.create('r', spec, [started]);
});

const look = async () => repair.repair('r', (await log.state('r')) as RunState);
const dispatch: DraftEvent = {
  name: 'dispatch.team',
  source: null,
  data: { team_name: 't', task: 'look', dispatch_id: 'd1', agent_id: '7' },
};

it('starts a run that has no job, after its lifecycle handlers', async () => {
  await look();
  expect([await queue.isQueued('r', 'global_supervisor'), restarted]).toEqual([true, ['r']]);
  await look();
  expect(restarted).toEqual(['r']);
});

it('does not start a run that a handler has ended', async () => {
  await log.seal('r', () => ({
    name: 'lifecycle.cancelled',
    source: null,
    data: { reason: 'x', report: null },
  }));
  const state = { ...((await log.state('r')) as RunState), status: 'running' as const };
  await repair.repair('r', state);
  expect(await queue.isQueued('r', 'global_supervisor')).toBe(false);
});

it('ends a run without progress after five starts, and one whose specification is missing', async () => {
  const remove = () => queue.remove('r', [], 'global_supervisor');
  for (let starts = 1; starts <= 6; starts++) {
    await look();
    await remove();
    now += 1_000;
  }
  expect([restarted.length, ended]).toEqual([5, ['ORPHANED']]);
  jest.spyOn(log, 'spec').mockResolvedValue(undefined);
  await look();
  expect(ended).toEqual(['ORPHANED', 'ORPHANED']);
});

it('gives a job that is added again the order of its run', async () => {
  const revive = jest.spyOn(queue, 'revive');
  const job = { runId: 'ordered', dispatchId: null, agentId: 'g', task: '?' };
  await log.create('ordered', { ...spec, order: 7 }, [started]);
  await queue.start(job, 'global_supervisor');
  await log.claim('ordered', 'top');
  await log.append('ordered', { writer: 'top', epoch: 1, step: 1, events: [dispatch] });
  await repair.repair('ordered', (await log.state('ordered')) as RunState);
  expect(revive.mock.calls).toMatchObject([[{ dispatchId: 'd1', order: 7 }, false]]);
});

it('adds the lost job of a dispatch again, also while the rest of the run is busy', async () => {
  await log.claim('r', 'top');
  await log.append('r', { writer: 'top', epoch: 1, step: 1, events: [dispatch] });
  await look();
  const tasks: string[] = [];
  queue.consume('global_supervisor', {
    work: async (job) => {
      if ((await job.children()).size === 0)
        await job.addChildren('team_supervisor', [
          { runId: 'r', dispatchId: 'd9', agentId: '9', task: 'other' },
        ]);
      await job.waitForChildren();
    },
    onError: () => undefined,
    onFailed: () => undefined,
  });
  const parked = async () =>
    (await queue.counts()).some(({ state, count }) => state === 'waiting-children' && count === 1);
  await until('the parked supervisor', parked);
  // Its only known child is another one: the job of d1 was lost.
  await look();
  queue.consume('team_supervisor', {
    work: async ({ data }) => void tasks.push(data.task),
    onError: () => undefined,
    onFailed: () => undefined,
  });
  await until('both tasks', () => tasks.length === 2);
  expect(tasks.toSorted()).toEqual(['look', 'other']);
});
