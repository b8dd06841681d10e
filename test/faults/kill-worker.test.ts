import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import {
  expectValid,
  type CheckedEvent,
  type EventStream,
} from '../support/streams/event-stream.js';
import { teamOfEach, topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say, type NodeProcess } from './lib/cluster.js';
import type { Observation } from './lib/test-control.js';
import { lasting } from './long.js';

let cluster: Cluster;
let api: Api;
let workers: NodeProcess[];
beforeAll(async () => {
  cluster = new Cluster();
  api = new Api((await cluster.start('api')).url);
  workers = [];
});
/** Two workers for each test, of which it may kill one. */
beforeEach(async () => {
  workers = workers.filter((worker) => worker.isAlive);
  while (workers.length < 2) workers.push(await cluster.start('worker', { LOG_LEVEL: 'warn' }));
});
afterEach(() => until('no job is left', async () => (await cluster.jobs()) === 0));
afterAll(() => cluster.close());

const resumed = (events: CheckedEvent[]) =>
  events
    .filter(({ data }) => data['code'] === 'AGENT_RESUMED')
    .map(({ source }) => source?.agent_name);
const completed = async (run: EventStream, partial = false): Promise<CheckedEvent[]> => {
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial } });
  return events;
};

/**
 * Kills a process that waits at a gate, in the middle of a tool or a model call: nothing may have
 * been the outcome of that.
 */
async function killHolding(observation: Observation): Promise<void> {
  await cluster.processOf(observation).end();
  const { event, mark, who, nth } = observation;
  const ends = event === 'tool-began' ? ['tool-ended', 'tool-aborted'] : ['model-aborted'];
  for (const end of ends as Observation['event'][])
    expect(await cluster.control.observations({ event: end, mark, who, nth })).toEqual([]);
}

test.each(['worker:db', 'team_supervisor:Pair', 'global_supervisor:'])(
  'continues %s in another process after SIGKILL during a model call and repeats only that call',
  async (who) => {
    const mark = `model ${who}`;
    const nodes = {
      web: scriptedNode('look', { mark: `${mark} web` }),
      db: scriptedNode('look', { mark: `${mark} db` }),
    };
    const id = await api.store(topologyOf(nodes, { name: 'Pair' }));
    const run = await api.trigger(id, say({ mark, hold: { who, turn: 2, gate: mark } }));
    const observation = await cluster.observed({ event: 'model-began', mark, who, nth: 2 });
    await run.has('Let me think.');
    // The other worker may be in the same process: it must be done.
    await run.has('event: dispatch.report');
    await killHolding(observation);
    await cluster.control.open(mark);

    const events = await completed(run);
    // Other agents of the process are resumed too, but none of this run.
    expect(resumed(events)).toHaveLength(1);
    const asked = (await cluster.control.observations({ event: 'model-began', mark })).map(
      (call) => `${call.who} ${call.nth}`,
    );
    expect(asked.toSorted()).toEqual([...new Set(asked), `${who} 2`].toSorted());
    const attempts = events
      .filter(
        ({ key, data, source }) =>
          key === 'llm.stream' && data['turn'] === 2 && source?.agent_name === resumed(events)[0],
      )
      .map(({ data }) => data['attempt']);
    expect([...new Set(attempts)]).toEqual([1, 2]);
    expect(
      await cluster.control.observations({ event: 'tool-began', mark: `${mark} db` }),
    ).toHaveLength(1);
  },
);

test('a kill during a repeatable tool repeats that call only', async () => {
  const nodes = {
    db: { ...scriptedNode('look', { mark: 'again', gate: 'again' }) },
    web: scriptedNode('look', { mark: 'other' }),
  };
  const run = await api.trigger(await api.store(teamOfEach(nodes)), say({ mark: 'repeat' }));
  const observation = await cluster.observed({ event: 'tool-began', mark: 'again' });
  await run.has('event: dispatch.report');
  await killHolding(observation);
  await cluster.control.open('again');
  const events = await completed(run);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'again' })).toHaveLength(
    2,
  );
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'other' })).toHaveLength(
    1,
  );
  expect(
    events.filter(({ key }) => key === 'llm.tool_result').map(({ data }) => data['status']),
  ).toEqual(['ok', 'ok']);
  // The log of the service says the same.
  const [heir] = workers.filter(({ isAlive }) => isAlive);
  expect(heir?.said).toMatch(new RegExp(`an agent is resumed here.*${run.runId}.*The db worker`));
});

test('a kill during a tool that is not repeatable answers its call with "interrupted"', async () => {
  const nodes = { db: scriptedNode('touch', { mark: 'once', gate: 'once' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ mark: 'unsafe' }));
  const observation = await cluster.observed({ event: 'tool-began', mark: 'once' });
  await killHolding(observation);
  await cluster.control.open('once');
  // The team sends its worker once more: that is another call, which runs.
  const events = await completed(run);
  const answers = events
    .filter(({ key }) => key === 'llm.tool_result')
    .map(({ data }) => data['status']);
  expect(answers).toEqual(['interrupted', 'ok']);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'once' })).toHaveLength(2);
});

test('a run waits while there is no worker, and continues with a new one', async () => {
  const nodes = { db: scriptedNode('look', { mark: 'alone', gate: 'alone' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ mark: 'alone' }));
  await cluster.observed({ event: 'tool-began', mark: 'alone' });
  await Promise.all(workers.map((worker) => worker.end()));
  await cluster.control.open('alone');
  const waits = await api.accept(
    await api.store(topologyOf({ db: scriptedNode('look', { mark: 'later' }) })),
    say({ mark: 'later' }),
  );
  const pings = () => run.text.split(': ping').length;
  const before = pings();
  await until('heartbeats', () => pings() > before + lasting(2, 59), 240_000);
  expect([(await api.show(run.runId)).status, (await api.show(waits)).status]).toEqual([
    'running',
    'queued',
  ]);
  workers = [await cluster.start('worker')];
  expect(resumed(await completed(run))).toHaveLength(1);
  await api.reaches(waits, 'completed');
});

test('a run continues within 15 s with the default lock times', async () => {
  await Promise.all(workers.map((worker) => worker.end()));
  const defaults = { LOCK_MS: '', STALL_MS: '', SWEEP_SECONDS: '' };
  workers = [await cluster.start('worker', defaults), await cluster.start('worker', defaults)];
  const nodes = { db: scriptedNode('look', { mark: 'default', gate: 'default' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ mark: 'default' }));
  const observation = await cluster.observed({ event: 'tool-began', mark: 'default' });
  const killed = Date.now();
  await killHolding(observation);
  await cluster.control.open('default');
  const events = await completed(run);
  const [resumption] = events.filter(({ data }) => data['code'] === 'AGENT_RESUMED');
  expect(Date.parse(resumption?.timestamp ?? '') - killed).toBeLessThan(lasting(120_000, 15_000));
});
