import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/event-stream.js';
import { topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';
import { Cluster, puppet, say } from './cluster.js';

let cluster: Cluster;
let api: Api;
beforeAll(async () => {
  cluster = new Cluster();
  api = new Api((await cluster.start('api')).url);
  await Promise.all([cluster.start('worker'), cluster.start('worker')]);
});
afterAll(() => cluster.close());

test('whose event loop was blocked past its lock writes nothing, and what it had begun is aborted', async () => {
  const nodes = { db: puppet('look', { token: 'blocked', blocks: 4_000, gate: 'blocked' }) };
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ token: 'blocked' }));
  // Another takes its place while it is blocked.
  await cluster.did({ deed: 'tool-began', token: 'blocked', nth: 2 });
  await cluster.did({ deed: 'tool-aborted', token: 'blocked', nth: 1 });
  expect(await cluster.strings.deeds({ deed: 'tool-ended', token: 'blocked' })).toEqual([]);
  await cluster.strings.open('blocked');
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  expect(events.filter(({ key }) => key === 'llm.tool_result')).toMatchObject([
    { data: { result: { measurements: { nth: 2 } } } },
  ]);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('that was paused in the middle of a model call (SIGSTOP) writes nothing when it comes back', async () => {
  const token = 'paused';
  const nodes = { db: puppet('touch', { token }) };
  const id = await api.store(topologyOf(nodes));
  const run = await api.trigger(
    id,
    say({ token, hold: { who: 'worker:db', turn: 1, gate: token } }),
  );
  const first = await cluster.did({ deed: 'model-began', token, who: 'worker:db' });
  await run.has('Let me think.');
  const zombie = cluster.doer(first);
  zombie.signal('SIGSTOP');
  try {
    const second = await until('another in its place', async () =>
      (await cluster.strings.deeds({ deed: 'model-began', token, who: 'worker:db' })).find(
        ({ pid }) => pid !== first.pid,
      ),
    );
    expect(second.nth).toBe(1);
    await cluster.strings.open(token);
    // The gate is open for the zombie, too.
    await run.has('event: llm.tool_result');
  } finally {
    zombie.signal('SIGCONT');
  }
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  expect(events.filter(({ key }) => key === 'llm.tool_call')).toHaveLength(1);
  expect(await cluster.strings.deeds({ deed: 'tool-began', token })).toHaveLength(1);
  // It is well again, and works.
  const more = await Promise.all(
    Array.from({ length: 6 }, (_, i) => api.trigger(id, say({ token: `after ${i}` }))),
  );
  for (const after of more)
    expect(expectValid((await after.end()).text).at(-1)?.key).toBe('lifecycle.completed');
  expect(
    new Set((await cluster.strings.deeds({ deed: 'model-began' })).map(({ pid }) => pid)),
  ).toContain(zombie.pid);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});
