import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { spec, started } from '../../test/support/incidents/drafts.js';
import type { Behaviours } from '../behaviours/behaviours.js';
import type { RunSpec } from '../domain/run.js';
import { MemoryLog } from '../event-log/memory-log.js';
import type { RunAdmission } from './run-admission.js';
import type { RunControl } from './run-control.js';
import { RunStarter } from './run-starter.js';

beforeAll(() => void Logger.overrideLogger(false));
afterAll(() => void Logger.overrideLogger(['error']));

let steps: string[];
let broken: string | undefined;
/** What the admission answers, and the places that jobs got. */
let place: { order?: number };
let queued: (number | undefined)[];
let log: MemoryLog;
let starter: RunStarter;
beforeEach(() => {
  [steps, broken] = [[], undefined];
  const step = async (name: string) => {
    if (name === broken) throw new Error(`${name} is broken`);
    steps.push(name);
  };
  log = new MemoryLog();
  const create = log.create.bind(log);
  log.create = async (...args) => {
    await step('log');
    return create(...args);
  };
  [place, queued] = [{}, []];
  const admission = {
    enter: async () => {
      await step('index');
      return place;
    },
  } as unknown as RunAdmission;
  const control = {
    start: async (_: string, { order }: RunSpec) => {
      await step('job');
      queued.push(order);
    },
    expectFollower: () => step('follower'),
  } as unknown as RunControl;
  const behaviours = {
    pin: () => ({ agent: 'tree' }),
    blackboards: () => ({}),
  } as unknown as Behaviours;
  const files = { pin: async () => 'digest' } as unknown as ConstructorParameters<
    typeof RunStarter
  >[4];
  starter = new RunStarter(log, admission, control, behaviours, files);
});

it('adds the index entry, the log and then the job', async () => {
  const { start } = await starter.accept('r', spec, [started]);
  expect(steps).toEqual(['follower', 'index', 'log']);
  await start();
  expect(steps.at(-1)).toBe('job');
});

it('starts a run that is accepted twice at once with the place that its log has', async () => {
  place = { order: 7 };
  const first = await starter.accept('r', spec, [started]);
  place = { order: 8 };
  const second = await starter.accept('r', spec, [started]);
  await second.start();
  await first.start();
  expect([(await log.state('r'))?.head.order, ...queued]).toEqual([7, 7, 7]);
  expect(second.spec.order).toBe(7);
});

it('pins the rules and subscribers of the run', async () => {
  await starter.accept('r', spec, [started]);
  expect((await log.spec('r'))?.files).toBe('digest');
});

it('leaves an accepted run without a job to the sweeper', async () => {
  broken = 'job';
  const { start } = await starter.accept('r', spec, [started]);
  await expect(start()).resolves.toBeUndefined();
  expect(await log.state('r')).toMatchObject({ status: 'queued' });
});

it('does not accept a run whose log cannot be created', async () => {
  broken = 'log';
  await expect(starter.accept('r', spec, [started])).rejects.toThrow('log is broken');
  expect(steps).toEqual(['follower', 'index']);
});

it('accepts a repeated diagnosis once, with its topology in the second event', async () => {
  const stored = { topology: spec.topology, version: 3, tenant: 'acme' };
  const wanted = { userMessage: 'why?', limits: { timeoutSeconds: 60 } };
  for (const _ of [1, 2]) await starter.diagnosis('r', stored, wanted);
  const { frames } = await log.read('r', 0, 9);
  expect(frames.map((frame) => /^event: (\S+)/.exec(frame.toString())?.[1])).toEqual([
    'lifecycle.started',
    'system.topology',
  ]);
  const kept = (await log.spec('r')) as RunSpec;
  expect(kept).toMatchObject({
    owner: 'acme/anonymous',
    kind: 'diagnosis',
    topologyVersion: 3,
    userMessage: 'why?',
    onDisconnect: 'continue',
    limits: { timeoutSeconds: 60 },
  });
});
