import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../test/support/incidents/drafts.js';
import { ConsiliumError } from '../domain/errors.js';
import { MemoryLog } from '../event-log/memory-log.js';
import type { Idempotency } from '../runs/idempotency.js';
import type { RunStarter } from '../runs/run-starter.js';
import type { Topologies } from '../topologies/topologies.js';
import { ScheduledRuns, type LastRuns } from './scheduled-runs.js';
import type { Schedule } from './schedules-file.js';

beforeAll(() => void Logger.overrideLogger(false));
afterAll(() => void Logger.overrideLogger(['error']));

const schedule: Schedule = {
  id: 'nightly',
  cron: '0 3 * * *',
  timezone: 'UTC',
  topology: 1,
  tenant: 'default',
  message: 'Is anything wrong?',
};

const worker = { name: 'Prober', node: 'web', tools: [] };
const topology = {
  nodes: [{ id: 'web' }],
  teams: [{ name: 'Shop', nodes: ['web'], workers: [worker] }],
};
const topologyAt = (id: number) => {
  if (id !== 1) throw new ConsiliumError('TOPOLOGY_NOT_FOUND', `There is no topology ${id}`);
  return { topology };
};
const raise = (message: string): never => {
  throw new Error(message);
};

let log: MemoryLog;
let starts: string[];
let runs: ScheduledRuns;
let known: Map<string, string>;
let begun: { runId: string; isFresh: boolean } | undefined;
let diesBeforeRemembering = false;
/** Called when a run is about to be accepted, and when it was. */
let beforeAccepting: () => void;
let afterAccepting: () => void;
beforeEach(() => {
  [log, starts] = [new MemoryLog(), []];
  known = new Map();
  [beforeAccepting, afterAccepting] = [() => undefined, () => undefined];
  const keys = new Map<string, string>();
  begun = undefined;
  const last = {
    of: async (id: string) => ({
      ...(known.has(id) && { last: known.get(id) }),
      ...(begun !== undefined && { begun }),
    }),
    begin: async (_: string, runId: string) => void (begun = { runId, isFresh: true }),
    set: async (id: string, runId: string) => {
      if (diesBeforeRemembering) throw new Error('the process died');
      known.set(id, runId);
    },
  } as unknown as LastRuns;
  const idempotency = {
    runOf: async (key: string, _: unknown, { runId }: { runId: string }) => {
      keys.set(key, keys.get(key) ?? runId);
      return keys.get(key);
    },
  } as unknown as Idempotency;
  const starter = {
    diagnosis: async (runId: string, _: unknown, { userMessage }: { userMessage: string }) => {
      beforeAccepting();
      await log.create(runId, { ...spec, userMessage }, [started]);
      afterAccepting();
      return { start: async () => void starts.push(runId) };
    },
  } as unknown as RunStarter;
  runs = new ScheduledRuns(
    last,
    log,
    { get: async (_: string, id: number) => topologyAt(id) } as unknown as Topologies,
    idempotency,
    starter,
  );
});

it.each([
  ['nothing of one that can start runs', { topology: 1, teams: ['Shop'] }, undefined],
  ['a topology that is not there', { topology: 7 }, /^There is no topology 7/],
  ['a team that is not there', { topology: 1, teams: ['Shp'] }, /teams\[0\].*did you mean "Shop"/],
  ['a node that is not there', { topology: 1, nodes: ['x'] }, /nodes\[0\]: there is no "x"/],
])('says of a schedule %s', async (_, more, fault) => {
  const said = await runs.faultOf({ ...schedule, ...more });
  if (fault === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(fault);
});

it('starts one run for a moment, however often the job is repeated', async () => {
  const first = await runs.start(schedule, 'one');
  expect(await runs.start(schedule, 'one')).toBe(first);
  expect(new Set(starts)).toEqual(new Set([first]));
  expect((await log.spec(first ?? ''))?.userMessage).toBe('Is anything wrong?');
});

it('starts none while the run before goes on', async () => {
  const first = (await runs.start(schedule, 'one')) ?? '';
  expect(await runs.start(schedule, 'two')).toBeUndefined();
  await log.seal(first, () => completed);
  expect(await runs.start(schedule, 'three')).not.toBe(first);
  expect(starts).toHaveLength(2);
});

it('remembers a run when it is accepted, and not before', async () => {
  beforeAccepting = () => {
    throw new ConsiliumError('RATE_LIMITED', 'Too many open runs');
  };
  await expect(runs.start(schedule, 'one')).rejects.toThrow('Too many open runs');
  expect(known.size).toBe(0);
  beforeAccepting = () => undefined;
  expect(await runs.start(schedule, 'one')).toBe(known.get('nightly'));
});

it('starts a run at the moment after its topology was stored', async () => {
  const early = runs.start({ ...schedule, topology: 7 }, 'one');
  await expect(early).rejects.toThrow('There is no topology 7');
  expect(await runs.start(schedule, 'two')).toBe(known.get('nightly'));
  expect(starts).toHaveLength(1);
});

describe('a process that dies while it starts a run', () => {
  const died = async (moment: string) =>
    expect(runs.start(schedule, moment)).rejects.toThrow('died');

  it.each([
    [
      'after the acceptance',
      () => void (afterAccepting = () => raise('the process died')),
      () => void (afterAccepting = () => undefined),
    ],
    [
      'before the run is remembered',
      () => void (diesBeforeRemembering = true),
      () => void (diesBeforeRemembering = false),
    ],
  ])('%s: no other moment starts a second one beside it', async (_, hurt, heal) => {
    hurt();
    await died('one');
    heal();
    expect(await runs.start(schedule, 'two')).toBeUndefined();
    const first = await runs.start(schedule, 'one');
    expect(starts).toEqual([first]);
    expect(known.get('nightly')).toBe(first);
    await log.seal(first ?? '', () => completed);
    expect(await runs.start(schedule, 'three')).not.toBe(first);
  });

  it('before the acceptance: its moment starts the run, and another one does after a minute', async () => {
    beforeAccepting = () => raise('the process died');
    await died('one');
    beforeAccepting = () => undefined;
    expect(await runs.start(schedule, 'two')).toBeUndefined();
    if (begun) begun.isFresh = false;
    const third = await runs.start(schedule, 'three');
    expect(await runs.start(schedule, 'one')).toBeUndefined();
    expect(starts).toEqual([third]);
  });
});
