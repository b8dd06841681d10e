import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let cluster: Cluster;
let api: Api;
beforeAll(async () => {
  cluster = new Cluster();
  api = new Api((await cluster.start('api')).url);
  await Promise.all([cluster.start('worker'), cluster.start('worker')]);
});
afterAll(() => cluster.close());

test('a process whose event loop was blocked past its lock writes nothing, and its work is aborted', async () => {
  const nodes = { db: scriptedNode('look', { mark: 'blocked', blocks: 10_000, gate: 'blocked' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ mark: 'blocked' }));
  // Another takes its place while it is blocked.
  await cluster.observed({ event: 'tool-began', mark: 'blocked', nth: 2 });
  await cluster.observed({ event: 'tool-aborted', mark: 'blocked', nth: 1 });
  expect(await cluster.control.observations({ event: 'tool-ended', mark: 'blocked' })).toEqual([]);
  await cluster.control.open('blocked');
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  const results = events.filter(({ key }) => key === 'llm.tool_result');
  expect(results).toMatchObject([
    { data: { result: { measurements: { nth: expect.anything() } } } },
  ]);
  // On a busy machine the second process may lose its lock, too.
  const { measurements } = results[0]?.data['result'] as { measurements: { nth: number } };
  expect(measurements.nth).toBeGreaterThan(1);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('a process that was paused during a model call writes nothing when it continues', async () => {
  const mark = 'paused';
  const nodes = { db: scriptedNode('touch', { mark }) };
  const id = await api.store(topologyOf(nodes));
  const run = await api.trigger(id, say({ mark, hold: { who: 'worker:db', turn: 1, gate: mark } }));
  const first = await cluster.observed({ event: 'model-began', mark, who: 'worker:db' });
  await run.has('Let me think.');
  const zombie = cluster.processOf(first);
  zombie.signal('SIGSTOP');
  try {
    const second = await until('another in its place', async () =>
      (await cluster.control.observations({ event: 'model-began', mark, who: 'worker:db' })).find(
        ({ pid }) => pid !== first.pid,
      ),
    );
    expect(second.nth).toBe(1);
    await cluster.control.open(mark);
    // The gate is open for the zombie, too.
    await run.has('event: llm.tool_result');
  } finally {
    zombie.signal('SIGCONT');
  }
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  expect(events.filter(({ key }) => key === 'llm.tool_call')).toHaveLength(1);
  expect(await cluster.control.observations({ event: 'tool-began', mark })).toHaveLength(1);
  // It is well again, and works.
  await until('its work for a later run', async () => {
    const after = await api.trigger(id, say({ mark: 'after' }));
    expect(expectValid((await after.end()).text).at(-1)?.key).toBe('lifecycle.completed');
    const asked = await cluster.control.observations({ event: 'model-began', mark: 'after' });
    return asked.some(({ pid }) => pid === zombie.pid);
  });
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});
