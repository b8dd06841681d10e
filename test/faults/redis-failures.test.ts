import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/streams/event-stream.js';
import { teamOfEach, topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say, type NodeProcess } from './lib/cluster.js';
import { HurtRedis } from './lib/hurt-redis.js';
import { lasting } from './long.js';

let redis: HurtRedis;
let cluster: Cluster;
let api: Api;
let nodes: NodeProcess[];
beforeAll(async () => {
  redis = await HurtRedis.start();
  cluster = new Cluster(redis.url);
  const telling = { LOG_LEVEL: 'info' };
  nodes = await Promise.all([
    cluster.start('api', telling),
    cluster.start('worker', telling),
    cluster.start('worker', telling),
  ]);
  api = new Api(nodes[0]?.url ?? '');
});
afterAll(async () => {
  await cluster.close();
  await redis.close();
});

const health = async (path: string) => (await fetch(`${api.url}/health${path}`)).status;
const ready = () => until('ready', async () => (await health('/ready')) === 200);
const completed = (run: EventStream) => {
  const events = expectValid(run.text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  return events;
};
/** ms of processor time that a process has used. */
const used = ({ pid }: NodeProcess): number => {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
};

test('50 runs complete without loss although Redis is killed and restarted', async () => {
  const id = await api.store(
    teamOfEach({
      web: scriptedNode('look', { mark: 'web', takes: 100 }),
      db: scriptedNode('look', { mark: 'db', takes: 100 }),
    }),
  );
  const runs = await Promise.all(
    Array.from({ length: 50 }, (_, i) => api.trigger(id, say({ mark: `restart ${i}`, slow: 5 }))),
  );
  const ended = () => runs.filter((run) => run.text.includes('event: lifecycle.completed')).length;
  await until('some have completed', () => ended() >= 5);
  await redis.kill();
  // What the clients have by now must be what the log says for ever.
  const seen = runs.map((run) => run.log);
  await until('not ready', async () => (await health('/ready')) === 503);
  await redis.restart();
  await ready();
  for (const run of runs) completed(await run.end());
  for (const [i, run] of runs.entries()) expect(run.log.startsWith(seen[i] ?? '?')).toBe(true);
  for (const run of runs.slice(0, 10)) expect(await api.log(run.runId)).toBe(run.log);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test(`the service is alive but not ready while Redis is unavailable for ${lasting('longer than any lock', '60 s')}, and its streams and runs continue`, async () => {
  const running = { db: scriptedNode('look', { mark: 'away', gate: 'away' }) };
  const id = await api.store(topologyOf(running));
  const run = await api.trigger(id, {
    ...say({ mark: 'away' }),
    limits: { toolTimeoutSeconds: 200 },
  });
  await cluster.observed({ event: 'tool-began', mark: 'away' });
  const pings = () => run.text.split(': ping').length;
  await redis.kill();
  await until('not ready', async () => (await health('/ready')) === 503);
  const before = pings();
  const refused = await api.ask('POST', '/executions/trigger', {
    body: { topologyId: id, userMessage: 'x' },
  });
  expect([refused.status, refused.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
    503,
    'UNAVAILABLE',
    true,
  ]);
  // Locks are of 1 s here.
  await until('heartbeats', () => pings() > before + lasting(3, 55), 120_000);
  expect([await health('/live'), run.ended]).toEqual([200, false]);
  await redis.restart();
  await cluster.control.open('away');
  await ready();
  completed(await run.end());
  completed(await (await api.trigger(id, say({ mark: 'back' }))).end());
  // Every node that reads the log finds the loss.
  for (const { said } of nodes)
    expect(said).toMatch(/Redis is unavailable: .*ECONNREFUSED[^]*Redis is back after \d/);
});

test('agents continue from what is left of a log that lost its end, and clients get RUN_EXPIRED', async () => {
  const nodesOfIt = {
    db: scriptedNode('look', { mark: 'tail', gate: 'tail' }),
    web: scriptedNode('look', { mark: 'web', gate: 'web' }),
  };
  const run = await api.trigger(await api.store(topologyOf(nodesOfIt)), say({ mark: 'tail' }));
  for (const mark of ['tail', 'web']) await cluster.observed({ event: 'tool-began', mark });
  const mark = await redis.mark();
  await cluster.control.open('tail');
  await run.has('event: dispatch.report');
  const seen = run.lastSequence;
  await redis.kill();
  await redis.forget(mark);
  await redis.restart();
  await ready();
  expect((await api.show(run.runId)).lastSequence).toBeGreaterThan(0);
  await cluster.control.open('web');
  await api.reaches(run.runId, 'completed');
  await run.end();
  const log = await api.log(run.runId);
  const events = expectValid(log);
  expect(events.at(-1)?.sequence).toBeGreaterThan(seen);
  // A client that has seen the lost events gets an error and cannot continue in the other history.
  for (const cursor of [seen, 1])
    expect(await api.ask('GET', `/executions/${run.runId}/events?after=${cursor}`)).toMatchObject({
      status: 410,
      code: 'RUN_EXPIRED',
    });
  // Of what was lost, the tool had to be asked again.
  expect(
    (await cluster.control.observations({ event: 'tool-began', mark: 'tail' })).length,
  ).toBeGreaterThan(1);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('streams and work end if Redis comes back empty, and new runs are accepted', async () => {
  const nodesOfIt = { db: scriptedNode('look', { mark: 'all', gate: 'all' }) };
  const id = await api.store(topologyOf(nodesOfIt));
  const run = await api.trigger(id, say({ mark: 'all' }));
  const chatty = await api.follow(run.runId, {}, '?format=flat');
  await cluster.observed({ event: 'tool-began', mark: 'all' });
  await chatty.has('llm.tool_call');
  const seen = run.lastSequence;
  await redis.kill();
  await redis.forget(0);
  await redis.restart();
  await ready();
  await Promise.all([run, chatty].map((stream) => stream.end()));
  await cluster.observed({ event: 'tool-aborted', mark: 'all' });
  for (const accept of ['application/json', 'text/event-stream']) {
    const events = (headers = {}) =>
      api.ask('GET', `/executions/${run.runId}/events`, { headers: { accept, ...headers } });
    expect(await events({ 'last-event-id': String(seen) })).toMatchObject({
      status: 410,
      code: 'RUN_EXPIRED',
    });
    expect(await events()).toMatchObject({ status: 404, code: 'RUN_NOT_FOUND' });
  }
  completed(
    await (
      await api.trigger(
        await api.store(topologyOf({ db: scriptedNode('look', { mark: 'new' }) })),
        say({ mark: 'new' }),
      )
    ).end(),
  );
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('writes get 503 while Redis is out of memory, reads are served, and runs continue afterwards', async () => {
  const id = await api.store(
    topologyOf({ db: scriptedNode('look', { mark: 'full', gate: 'full' }) }),
  );
  const other = await api.store(topologyOf({ db: scriptedNode('look', { mark: 'other' }) }));
  const done = await (await api.trigger(other, say({ mark: 'done' }))).end();
  const run = await api.trigger(id, say({ mark: 'full' }));
  await cluster.observed({ event: 'tool-began', mark: 'full' });
  await redis.fill();
  try {
    await cluster.control.open('full');
    const refused = await api.ask('POST', '/executions/trigger', {
      body: { topologyId: other, userMessage: 'x' },
    });
    expect([refused.status, refused.code]).toEqual([503, 'UNAVAILABLE']);
    expect((await api.cancel(run.runId)).status).toBe(503);
    expect(await api.log(done.runId)).toBe(done.log);
    expect((await api.show(run.runId)).status).toBe('running');
    expect((await api.ask('GET', '/executions')).status).toBe(200);
    // Waiting for memory must not use the processor.
    const before = nodes.map(used);
    const began = Date.now();
    await until('two seconds to pass', () => Date.now() > began + 2_000);
    const share = nodes.map((node, i) => (used(node) - (before[i] ?? 0)) / (Date.now() - began));
    expect(share.map((of) => of < 0.5)).toEqual([true, true, true]);
  } finally {
    await redis.empty();
  }
  completed(await run.end());
  completed(await (await api.trigger(other, say({ mark: 'after' }))).end());
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});
