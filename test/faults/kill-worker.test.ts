import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, type CheckedEvent, type EventStream } from '../support/event-stream.js';
import { teamOfEach, topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';
import { Cluster, puppet, say, type NodeProcess } from './cluster.js';
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

test.each(['worker:db', 'team_supervisor:Pair', 'global_supervisor:'])(
  'killed in the middle of an answer of its model, %s goes on elsewhere; no other answer is asked for again',
  async (who) => {
    const token = `model ${who}`;
    const nodes = {
      web: puppet('look', { token: `${token} web` }),
      db: puppet('look', { token: `${token} db` }),
    };
    const id = await api.store(topologyOf(nodes, { name: 'Pair' }));
    const run = await api.trigger(id, say({ token, hold: { who, turn: 2, gate: token } }));
    const deed = await cluster.did({ deed: 'model-began', token, who, nth: 2 });
    await run.has('Let me think.');
    await cluster.doer(deed).end();
    await cluster.strings.open(token);

    const events = await completed(run);
    // Whatever else the process was busy with is resumed too, but nothing of this run was.
    expect(resumed(events)).toHaveLength(1);
    const asked = (await cluster.strings.deeds({ deed: 'model-began', token })).map(
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
    expect(await cluster.strings.deeds({ deed: 'tool-began', token: `${token} db` })).toHaveLength(
      1,
    );
  },
);

test('killed in a tool that may be repeated: it is called again, and those that had answered are not', async () => {
  const nodes = {
    db: { ...puppet('look', { token: 'again', gate: 'again' }) },
    web: puppet('look', { token: 'other' }),
  };
  const run = await api.trigger(await api.store(teamOfEach(nodes)), say({ token: 'repeat' }));
  const deed = await cluster.did({ deed: 'tool-began', token: 'again' });
  await run.has('event: dispatch.report');
  await cluster.doer(deed).end();
  await cluster.strings.open('again');
  const events = await completed(run);
  expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'again' })).toHaveLength(2);
  expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'other' })).toHaveLength(1);
  expect(
    events.filter(({ key }) => key === 'llm.tool_result').map(({ data }) => data['status']),
  ).toEqual(['ok', 'ok']);
  // Whoever runs the service reads the same in its log.
  const [heir] = workers.filter(({ isAlive }) => isAlive);
  expect(heir?.said).toMatch(new RegExp(`an agent is resumed here.*${run.runId}.*The db worker`));
});

test('killed in a tool that is not safe to repeat: that call ran at most once, and is answered "interrupted"', async () => {
  const nodes = { db: puppet('touch', { token: 'once', gate: 'once' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ token: 'unsafe' }));
  const deed = await cluster.did({ deed: 'tool-began', token: 'once' });
  await cluster.doer(deed).end();
  await cluster.strings.open('once');
  // The team sends its worker once more: that is another call, which runs.
  const events = await completed(run);
  const answers = events
    .filter(({ key }) => key === 'llm.tool_result')
    .map(({ data }) => data['status']);
  expect(answers).toEqual(['interrupted', 'ok']);
  expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'once' })).toHaveLength(2);
});

test('with no worker left the run waits, and goes on when there is one again', async () => {
  const nodes = { db: puppet('look', { token: 'alone', gate: 'alone' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ token: 'alone' }));
  await cluster.did({ deed: 'tool-began', token: 'alone' });
  await Promise.all(workers.map((worker) => worker.end()));
  await cluster.strings.open('alone');
  const waits = await api.accept(
    await api.store(topologyOf({ db: puppet('look', { token: 'later' }) })),
    say({ token: 'later' }),
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

test('with the lock times that are the default, the run goes on within 15 s', async () => {
  await Promise.all(workers.map((worker) => worker.end()));
  const defaults = { LOCK_MS: '', STALL_MS: '', SWEEP_SECONDS: '' };
  workers = [await cluster.start('worker', defaults), await cluster.start('worker', defaults)];
  const nodes = { db: puppet('look', { token: 'default', gate: 'default' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ token: 'default' }));
  const deed = await cluster.did({ deed: 'tool-began', token: 'default' });
  const killed = Date.now();
  await cluster.doer(deed).end();
  await cluster.strings.open('default');
  const events = await completed(run);
  const [resumption] = events.filter(({ data }) => data['code'] === 'AGENT_RESUMED');
  expect(Date.parse(resumption?.timestamp ?? '') - killed).toBeLessThan(lasting(120_000, 15_000));
});
