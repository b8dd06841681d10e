import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../test/support/incidents/drafts.js';
import { until } from '../../test/support/until.js';
import type { DraftEvent } from '../domain/events/event.js';
import { headOf, type RunHead, type RunSpec } from '../domain/run.js';
import { MemoryLog } from '../event-log/memory-log.js';
import type { RunIndex } from '../event-log/run-index.js';
import type { Cancellations } from '../queues/cancellations.js';
import { MemoryQueue } from '../queues/memory-queue.js';
import type { Presence } from '../streams/presence.js';
import type { CutReports } from './cut-reports.js';
import { RunCloser } from './run-closer.js';
import { RunControl } from './run-control.js';
import { RunJobs } from './run-jobs.js';

beforeAll(() => void Logger.overrideLogger(false));
afterAll(() => void Logger.overrideLogger(['error']));

const worker = {
  agentId: '7',
  name: 'The db worker',
  role: 'worker' as const,
  node: 'db',
};
const withTeam = {
  ...spec,
  topology: {
    ...spec.topology,
    teams: [{ name: 'T', supervisor: { agentId: '6', name: 'Lead' }, workers: [worker] }],
  },
} as unknown as RunSpec;
const dispatched = (name: 'dispatch.team' | 'dispatch.worker', id: string, agent: string) =>
  ({
    name,
    source: null,
    data: { team_name: 'T', worker_name: 'w', task: 'look', dispatch_id: id, agent_id: agent },
  }) as unknown as DraftEvent;

let log: MemoryLog;
let queue: MemoryQueue;
let announced: string[];
let closed: string[];
let renewed: string[];
let followed: boolean;
let open: boolean;
let announce: () => Promise<void>;
let control: RunControl;
beforeEach(() => {
  [announced, closed, renewed, followed, open] = [[], [], [], false, true];
  announce = async () => undefined;
  log = new MemoryLog();
  queue = new MemoryQueue(1);
  const index = {
    close: async (runId: string) => void closed.push(runId),
    isOpen: async () => open,
  } as unknown as RunIndex;
  const cancellations = {
    announce: async (runId: string) => {
      announced.push(runId);
      await announce();
    },
  } as unknown as Cancellations;
  const presence = {
    renew: async (runId: string) => void renewed.push(runId),
    isFollowed: async () => followed,
  } as unknown as Presence;
  const reports = { of: async () => null } as unknown as CutReports;
  const jobs = new RunJobs(log, queue, cancellations);
  control = new RunControl(log, new RunCloser(log, index, []), jobs, presence, reports);
});

const names = async () => {
  const { frames } = await log.read('r', 0, 100);
  return frames.map((frame) => /^event: (\S+)/.exec(frame.toString())?.[1]);
};

/** Takes the job of the top agent and works on it until it is released. */
function hold(): { began: () => boolean; release: () => void; close: () => Promise<void> } {
  let began = false;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const consumer = queue.consume('global_supervisor', {
    work: async () => {
      began = true;
      await released;
    },
    onError: () => undefined,
    onFailed: () => undefined,
  });
  return { began: () => began, release, close: () => consumer.close() };
}

describe('start', () => {
  it('queues the top agent once', async () => {
    await control.start('r', spec);
    await control.start('r', spec);
    expect(await queue.isQueued('r', 'global_supervisor')).toBe(true);
    expect((await queue.counts()).reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });
});

describe('cancel', () => {
  it('seals the log, announces it, removes the jobs and closes the run', async () => {
    await log.create('r', spec, [started]);
    await control.start('r', spec);
    expect(await control.cancel('r', 'enough')).toMatchObject({ status: 'cancelled', now: true });
    await until('the run is closed', () => closed.includes('r'));
    expect(announced).toEqual(['r']);
    expect(await queue.isQueued('r', 'global_supervisor')).toBe(false);
    expect(await names()).toEqual(['lifecycle.started', 'lifecycle.cancelled']);
  });

  it('returns the status of a run that has ended and does not change it', async () => {
    await log.create('r', spec, [started]);
    await log.seal('r', () => completed);
    expect(await control.cancel('r', 'late')).toMatchObject({ status: 'completed', now: false });
    expect(await names()).toEqual(['lifecycle.started', 'lifecycle.completed']);
  });

  it('returns the status of a run whose log was deleted', async () => {
    await log.create('r', spec, [started]);
    await log.seal('r', () => completed);
    await log.trim('r');
    expect(await control.cancel('r', 'late')).toEqual({ status: 'completed', now: false, at: 0 });
  });

  it('returns undefined for an unknown run', async () => {
    expect(await control.cancel('r', 'who?')).toBeUndefined();
  });

  it('leaves a run open while a process works on it', async () => {
    await log.create('r', spec, [started]);
    await control.start('r', spec);
    const job = hold();
    await until('the job has begun', job.began);
    await control.cancel('r', 'enough');
    await until('the announcement', () => announced.length === 1);
    expect(await control.stopping('r', headOf(spec))).toEqual(['G']);
    expect(closed).toEqual([]);
    job.release();
    await job.close();
    expect(await control.stopping('r', headOf(spec))).toEqual([]);
  });

  it('cancels the run even if the announcement fails', async () => {
    await log.create('r', spec, [started]);
    announce = async () => {
      throw new Error('Connection is closed.');
    };
    expect(await control.cancel('r', 'enough')).toMatchObject({ status: 'cancelled', now: true });
    await until('the announcement', () => announced.length === 1);
    expect(closed).toEqual([]);
  });
});

describe('stopping', () => {
  it('names the agents of the dispatches that are still active', async () => {
    await log.create('r', withTeam, [
      started,
      dispatched('dispatch.team', 'd1', '6'),
      dispatched('dispatch.worker', 'd1_1', '7'),
    ]);
    queue.remove = async () => [null, 'd1', 'd1_1', 'd9'];
    const stopping = await control.stopping('r', headOf(withTeam));
    expect(stopping).toEqual(['G', 'Lead', 'The db worker', 'd9']);
  });

  it('does not look for the jobs of a closed run', async () => {
    await log.create('r', spec, [started]);
    open = false;
    queue.remove = async () => ['d1'];
    expect(await control.stopping('r', headOf(spec))).toEqual([]);
  });
});

describe('a run to be cancelled without followers', () => {
  const head = { ...headOf(spec), onDisconnect: 'cancel' } as RunHead;
  beforeEach(async () => void (await log.create('r', spec, [started])));

  it('expects its first follower', async () => {
    await control.expectFollower('r', spec);
    expect(renewed).toEqual([]);
    await control.expectFollower('r', { ...spec, onDisconnect: 'cancel' });
    expect(renewed).toEqual(['r']);
  });

  it('is cancelled when it has none', async () => {
    followed = true;
    expect(await control.cancelIfAbandoned('r', head)).toBe(false);
    followed = false;
    expect(await control.cancelIfAbandoned('r', headOf(spec))).toBe(false);
    expect(await control.cancelIfAbandoned('r', head)).toBe(true);
    expect(await names()).toEqual(['lifecycle.started', 'lifecycle.cancelled']);
  });
});

describe('fail', () => {
  it('ends a run whose log is full, without an offer to retry', async () => {
    await log.create('r', spec, [started]);
    expect(await control.failFull('r')).toMatchObject({ status: 'failed', now: true });
    const [, frame] = (await log.read('r', 0, 9)).frames;
    expect(frame?.toString()).toContain('"code":"LOG_LIMIT"');
    expect(frame?.toString()).toContain('"retryable":false');
  });
});
