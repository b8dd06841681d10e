import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { teamOfEach, topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let cluster: Cluster;
let api: Api;
/** Whether a worker is started for each that dies. */
let keeping = true;
let keeper: Promise<void>;
beforeAll(async () => {
  cluster = new Cluster();
  api = new Api((await cluster.start('api')).url);
  const keep = async () => {
    while (keeping) {
      // All agents are in one process, so that a crash stops all of them.
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

test('an agent that always kills its process fails with AGENT_CRASHED, and the run completes without it', async () => {
  const nodes = {
    killer: scriptedNode('look', { mark: 'killer', kills: 99, takes: 300 }),
    // Slow, so that it is active when the other agent kills the process.
    neighbour: scriptedNode('look', { mark: 'neighbour', takes: 1_000 }),
  };
  const run = await api.trigger(
    await api.store(topologyOf(nodes, { name: 'Street' })),
    say({ mark: 'street' }),
  );
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: true } });
  const reports = events.filter(
    ({ key, source }) => key === 'dispatch.report' && source?.agent_type === 'worker',
  );
  const outcomes = reports.map(({ source, data }) => [
    source?.agent_name,
    data['status'],
    data['reasons'],
  ]);
  // The team dispatches the failed worker once more, and it kills its process as often again.
  const crashed = ['The killer worker', 'failed', ['AGENT_CRASHED']];
  expect(outcomes.toSorted()).toEqual([crashed, crashed, ['The neighbour worker', 'ok', []]]);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'killer' })).toHaveLength(
    6,
  );
  expect(
    (await cluster.control.observations({ event: 'tool-began', mark: 'neighbour' })).length,
  ).toBeGreaterThan(1);
  expect(events.filter(({ data }) => data['code'] === 'AGENT_RESUMED').length).toBeGreaterThan(0);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

/**
 * One before anything of its turn is recorded, and `MAX_CRASHES` after the step that tells its
 * model that it goes on.
 */
const KILLS = 1 + 3;

test('a team supervisor that always kills its process fails, and the service measures the nodes of its team', async () => {
  const id = await api.store(
    topologyOf({ calm: scriptedNode('look', { mark: 'led' }) }, { name: 'Square' }),
  );
  const run = await api.trigger(id, say({ mark: 'leader', killer: 'team_supervisor:Square' }));
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: true } });
  const reports = events
    .filter(({ key }) => key === 'dispatch.report')
    .map(({ source, data }) => [source?.agent_type, data['reasons']]);
  expect(reports.length).toBeGreaterThan(0);
  expect(reports).toEqual(reports.map(() => ['team_supervisor', ['AGENT_CRASHED']]));
  const looks = events.filter(({ key }) => key === 'llm.tool_result');
  expect(looks.map(({ data }) => [data['node'], data['status'], data['by_service']])).toEqual([
    ['calm', 'ok', true],
  ]);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'led' })).toHaveLength(1);
  expect(
    await cluster.control.observations({
      event: 'model-began',
      mark: 'leader',
      who: 'team_supervisor:Square',
    }),
  ).toHaveLength(KILLS * reports.length);
});

test('a run whose global supervisor always kills its process fails with AGENT_CRASHED', async () => {
  const id = await api.store(topologyOf({ calm: scriptedNode('look', { mark: 'headless' }) }));
  const run = await api.trigger(id, say({ mark: 'head', killer: 'global_supervisor:' }));
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.failed', data: { code: 'AGENT_CRASHED' } });
  expect(await cluster.control.observations({ event: 'model-began', mark: 'head' })).toHaveLength(
    KILLS,
  );
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('an agent that kills its process once does not fail, and neither do the runs that were in the same process', async () => {
  const id = await api.store(
    teamOfEach({
      once: scriptedNode('look', { mark: 'once', kills: 1 }),
      calm: scriptedNode('look', { mark: 'calm' }),
    }),
  );
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, i) => api.trigger(id, say({ mark: `many ${i}` }))),
  );
  for (const run of runs)
    expect(expectValid((await run.end()).text).at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: { partial: false },
    });
});
