import { expect, it } from '@jest/globals';
import type { RunStarter } from '../../../runs/run-starter.js';
import type { TopologyStore } from '../../../topologies/topology-store.js';
import type { CallProgress, OwnContext } from '../role-behaviour.js';
import { Diagnoses } from './diagnoses.js';
import type { Lookup } from './lookup.js';

const head = { kind: 'diagnosis', topologyId: 7, topologyName: 'Shop' };

/** Diagnoses over a log whose run shows these states, one a look. */
function diagnosesOver(states: [status: string, lastSequence: number][]) {
  const started: string[] = [];
  const wanted: object[] = [];
  const tenants: string[] = [];
  const shown = [...states];
  const starter = {
    diagnosis: async (runId: string, _stored: unknown, given: object) => {
      wanted.push(given);
      return { start: async () => void started.push(runId) };
    },
  } as unknown as RunStarter;
  const topologies = {
    of: (tenant: string) => {
      tenants.push(tenant);
      return { get: async () => ({}) };
    },
  } as unknown as TopologyStore;
  const lookup = {
    run: async (_asker: string, run_id: string) => ({ result: { run_id } }),
    openApprovals: async () => ({ approvals: [{ approval_id: 't2' }] }),
    diagnosis: async (_asker: string, runId: string) => {
      const next = shown.length > 1 ? shown.shift() : shown[0];
      if (!next) throw new Error(`There is no diagnosis ${runId}.`);
      return { head, status: next[0], lastSequence: next[1] };
    },
  } as unknown as Lookup;
  const reported: CallProgress[] = [];
  const context = {
    runId: 'chat',
    callId: 't1',
    createdAt: 1_700_000_000_000,
    leftMs: 600_000,
    spec: {
      owner: 'acme/1f',
      startedBy: 'ann',
      limits: { toolTimeoutSeconds: 30 },
      userMessage: 'Diagnose the shop.',
    },
    signal: new AbortController().signal,
    report: (progress: CallProgress) => void reported.push(progress),
  } as unknown as OwnContext;
  const diagnoses = new Diagnoses(starter, topologies, lookup);
  return { diagnoses, started, wanted, tenants, reported, context };
}

it('returns before the time of the turn ends, with the run that goes on', async () => {
  const { diagnoses, started, context } = diagnosesOver([['running', 9]]);
  const { result } = await diagnoses.start(7, 'slow', { ...context, leftMs: 300 });
  expect(result).toMatchObject({ run_id: started[0], status: 'running' });
});

it('reports the id of a run as soon as it has started, and how far it is', async () => {
  const { diagnoses, started, reported, context } = diagnosesOver([
    ['queued', 2],
    ['running', 9],
    ['completed', 20],
  ]);
  const { result } = await diagnoses.start(7, 'slow', context);
  const [runId = ''] = started;
  expect(result).toEqual({ run_id: runId });
  expect(reported).toEqual([
    {
      message: `The diagnosis of Shop (run ${runId}) is queued, with 2 events so far.`,
      details: { run_id: runId, topology_id: 7, status: 'queued', last_sequence: 2 },
    },
    {
      message: `The diagnosis of Shop (run ${runId}) is running, with 9 events so far.`,
      details: { run_id: runId, topology_id: 7, status: 'running', last_sequence: 9 },
    },
  ]);
});

it('starts a topology of the tenant of the chat, for the principal that asks', async () => {
  const { diagnoses, tenants, wanted, context } = diagnosesOver([['completed', 20]]);
  await diagnoses.start(7, 'slow', context);
  expect(tenants).toEqual(['acme']);
  expect(wanted).toEqual([{ userMessage: 'Diagnose the shop.', task: 'slow', startedBy: 'ann' }]);
});

it('takes the words of the person for the message of the run, not those of a model', async () => {
  const { diagnoses, wanted, context } = diagnosesOver([['completed', 20]]);
  const history = [
    { role: 'user', text: 'Orders fail since noon.' },
    { role: 'assistant', text: 'Shall I diagnose topology 7?' },
  ];
  const spec = { ...context.spec, userMessage: 'Yes', chat: { history } };
  await diagnoses.start(7, 'The db is at fault', { ...context, spec } as OwnContext);
  expect(wanted).toMatchObject([{ userMessage: 'Orders fail since noon.\nYes' }]);
});

it('starts the same run if the call is made again after a crash', async () => {
  const first = diagnosesOver([['completed', 20]]);
  const second = diagnosesOver([['completed', 20]]);
  await first.diagnoses.start(7, 'slow', first.context);
  await second.diagnoses.start(7, 'slow', second.context);
  expect(first.started).toEqual(second.started);
});

it('returns how far a run is when the time of the call is nearly up', async () => {
  const { diagnoses, context } = diagnosesOver([['running', 9]]);
  const hurried = { ...context, spec: { limits: { toolTimeoutSeconds: 0 } } } as OwnContext;
  expect(await diagnoses.follow('r7', 4, hurried)).toMatchObject({
    result: { run_id: 'r7', status: 'running', last_sequence: 9, seen_before: 4, approvals: [{}] },
  });
});

it('refuses a run that does not exist', async () => {
  const { diagnoses, context } = diagnosesOver([]);
  await expect(diagnoses.follow('r7', 0, context)).rejects.toThrow('There is no diagnosis r7.');
});
