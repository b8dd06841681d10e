import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../../test/support/models/agent-session.js';
import { spec, started } from '../../../test/support/incidents/drafts.js';
import { freshBlackboard, type Blackboard } from '../../domain/blackboard.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import type { RunControl } from '../../runs/run-control.js';
import { FailedJobs } from './failed-jobs.js';

beforeAll(() => void Logger.overrideLogger(false));
afterAll(() => void Logger.overrideLogger(['error']));

interface Report {
  dispatch_id: string;
  status: string;
  reasons: string[];
  summary: string;
}

const run = { ...spec, topology: SMALL_TOPOLOGY };
const job = (dispatchId: string | null, agentId: string) => ({
  runId: 'r',
  dispatchId,
  agentId,
  task: 'Look.',
  sentAt: 0,
});

let log: MemoryLog;
let ends: string[][];
let jobs: FailedJobs;
function open(bounds?: ConstructorParameters<typeof MemoryLog>[0]): void {
  log = new MemoryLog(bounds);
  const control = {
    fail: async (_: string, code: string, message: string) => void ends.push([code, message]),
    failFull: async () => void ends.push(['LOG_LIMIT']),
  } as unknown as RunControl;
  jobs = new FailedJobs(log, control);
}
beforeEach(() => {
  ends = [];
  open();
});

const begin = () => log.create('r', run, [started]);
async function reports(): Promise<Report[]> {
  const { frames } = await log.read('r', 0, 100);
  return frames
    .map((frame) => frame.toString())
    .filter((frame) => frame.startsWith('event: dispatch.report'))
    .map((frame) => (JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '') as { data: Report }).data);
}
/** Leaves an agent as its process has left it. */
async function leave(writer: string, board: Partial<Blackboard>): Promise<void> {
  const claim = await log.claim('r', writer);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const checkpoint = JSON.stringify({ ...freshBlackboard(), ...board });
  await log.append('r', { writer, epoch: claim.epoch, step: 1, events: [], checkpoint });
}

describe('an agent below the top', () => {
  it('reports once that it failed, with the reason', async () => {
    await begin();
    await jobs.failAfterCrashes(job('d1_1', '3'), 3);
    await jobs.failUnresumable(job('d1_1', '3'));
    expect(await reports()).toMatchObject([
      {
        dispatch_id: 'd1_1',
        status: 'failed',
        reasons: ['AGENT_CRASHED'],
        summary: 'Web worker lost its process repeatedly.',
      },
    ]);
    expect(ends).toEqual([]);
  });

  it('reports for the agents that it had dispatched first', async () => {
    await begin();
    const dispatch = { call_id: 't1', tool: 'dispatch_worker' as const, task: 'Look.' };
    await leave('d1', { waiting: [{ ...dispatch, dispatch_id: 'd1_1', agent_id: '4' }] });
    await jobs.failUnresumable(job('d1', '2'));
    expect((await reports()).map(({ dispatch_id, reasons }) => [dispatch_id, reasons])).toEqual([
      ['d1_1', ['AGENT_FAILED']],
      ['d1', ['AGENT_FAILED']],
    ]);
  });

  it('ends its run if the log has no room for its report', async () => {
    open({ logMaxEvents: 1, logMaxBytes: 1_000_000, eventMaxBytes: 100_000 });
    await begin();
    expect(await jobs.fail(job('d1_1', '3'), new Error('a fault'))).toBe(true);
    expect(ends).toEqual([['LOG_LIMIT']]);
  });

  it('reports nothing in a run that is gone', async () => {
    await jobs.failUnresumable(job('d1_1', '3'));
    expect(ends).toEqual([]);
  });
});

describe('the agent at the top', () => {
  it.each([
    ['ORPHANED', () => jobs.failUnresumable(job(null, '1'))],
    ['AGENT_CRASHED', () => jobs.failAfterCrashes(job(null, '1'), 3)],
    ['INTERNAL_ERROR', () => jobs.fail(job(null, '1'), new Error('a fault'))],
  ])('ends its run with %s', async (code, end) => {
    await end();
    expect(ends).toEqual([[code, expect.any(String)]]);
  });
});

it('says that a failure could not be recorded if the store is away', async () => {
  const away = new Error('Connection is closed.');
  const control = { fail: () => Promise.reject(away) } as unknown as RunControl;
  expect(await new FailedJobs(log, control).fail(job(null, '1'), new Error('a fault'))).toBe(false);
});
