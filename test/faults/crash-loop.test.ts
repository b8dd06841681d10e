import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/event-stream.js';
import { teamOfEach, topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';
import { Cluster, puppet, say } from './cluster.js';

let cluster: Cluster;
let api: Api;
/** Starts a worker for each that dies. */
let keeping = true;
let keeper: Promise<void>;
beforeAll(async () => {
  cluster = new Cluster();
  api = new Api((await cluster.start('api')).url);
  const keep = async () => {
    while (keeping) {
      // All in one process: the worst neighbourhood.
      const worker = await cluster.start('worker');
      await until('its death', () => !worker.isAlive || !keeping);
    }
  };
  keeper = keep();
});
afterAll(async () => {
  keeping = false;
  await keeper;
  await cluster.close();
});

test('an agent that kills its process again and again fails by name; its neighbours do not, and the run completes without it', async () => {
  const nodes = {
    killer: puppet('look', { token: 'killer', kills: 99, takes: 300 }),
    // Takes its time, so that it is there when the other kills.
    neighbour: puppet('look', { token: 'neighbour', takes: 1_000 }),
  };
  const run = await api.trigger(
    await api.store(topologyOf(nodes, { name: 'Street' })),
    say({ token: 'street' }),
  );
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: true } });
  const reports = events.filter(
    ({ key, source }) => key === 'dispatch.report' && source?.agent_type === 'worker',
  );
  const told = reports.map(({ source, data }) => [
    source?.agent_name,
    data['status'],
    data['reasons'],
  ]);
  // The team sends the one that failed once more, and it kills as many again.
  const condemned = ['The killer worker', 'failed', ['AGENT_CRASHED']];
  expect(told.toSorted()).toEqual([condemned, condemned, ['The neighbour worker', 'ok', []]]);
  expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'killer' })).toHaveLength(6);
  expect(
    (await cluster.strings.deeds({ deed: 'tool-began', token: 'neighbour' })).length,
  ).toBeGreaterThan(1);
  expect(events.filter(({ data }) => data['code'] === 'AGENT_RESUMED').length).toBeGreaterThan(0);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

/** One before anything of its turn is recorded, and `MAX_CRASHES` after the step that tells its model that it goes on. */
const KILLS = 1 + 3;

test('so does a supervisor of a team: the top concludes without it', async () => {
  const id = await api.store(
    topologyOf({ calm: puppet('look', { token: 'led' }) }, { name: 'Square' }),
  );
  const run = await api.trigger(id, say({ token: 'leader', killer: 'team_supervisor:Square' }));
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: true } });
  const reports = events
    .filter(({ key }) => key === 'dispatch.report')
    .map(({ source, data }) => [source?.agent_type, data['reasons']]);
  expect(reports.length).toBeGreaterThan(0);
  expect(reports).toEqual(reports.map(() => ['team_supervisor', ['AGENT_CRASHED']]));
  expect(await cluster.strings.deeds({ deed: 'tool-began', token: 'led' })).toEqual([]);
  expect(
    await cluster.strings.deeds({
      deed: 'model-began',
      token: 'leader',
      who: 'team_supervisor:Square',
    }),
  ).toHaveLength(KILLS * reports.length);
});

test('with the agent at the top the run fails, by name', async () => {
  const id = await api.store(topologyOf({ calm: puppet('look', { token: 'headless' }) }));
  const run = await api.trigger(id, say({ token: 'head', killer: 'global_supervisor:' }));
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.failed', data: { code: 'AGENT_CRASHED' } });
  expect(await cluster.strings.deeds({ deed: 'model-began', token: 'head' })).toHaveLength(KILLS);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('one that dies once is not condemned, however many runs die with it', async () => {
  const id = await api.store(
    teamOfEach({
      once: puppet('look', { token: 'once', kills: 1 }),
      calm: puppet('look', { token: 'calm' }),
    }),
  );
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, i) => api.trigger(id, say({ token: `many ${i}` }))),
  );
  for (const run of runs)
    expect(expectValid((await run.end()).text).at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: { partial: false },
    });
});
