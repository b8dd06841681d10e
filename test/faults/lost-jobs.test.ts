import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say, type NodeProcess } from './lib/cluster.js';

let proxy: TcpProxy;
let cluster: Cluster;
let api: Api;
const workers: NodeProcess[] = [];
const LOGGED = { LOG_LEVEL: 'warn' };
beforeAll(async () => {
  const direct = process.env['TEST_REDIS_URL'] as string;
  proxy = await TcpProxy.to(direct);
  cluster = new Cluster(direct);
  api = new Api((await cluster.start('api', LOGGED)).url);
});
afterAll(async () => {
  await cluster.close();
  await proxy.close();
});

const beginOn = async (on: Api, mark: string, more: object = {}): Promise<EventStream> =>
  on.trigger(await on.store(topologyOf({ db: scriptedNode('look', { mark, gate: mark }) })), {
    ...say({ mark }),
    ...more,
  });
const begin = (mark: string, more: object = {}) => beginOn(api, mark, more);
const completed = (text: string) =>
  expect(expectValid(text).at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: false },
  });

/** Waits until a process has logged a warning about a run. @returns the line */
const warned = (
  run: EventStream,
  text: string,
  more: Record<string, string | number> = {},
  by: { said: string } = cluster,
): Promise<string> =>
  until(`the warning "${text}"`, () =>
    by.said
      .split('\n')
      .find((line) =>
        [text, run.runId, ...Object.values(more)].every((each) => line.includes(String(each))),
      ),
  );
const ADVICE = 'if this recurs, check whether Redis loses or evicts keys';

/** Removes the job of the worker of a run, without a word to its parent. */
async function lose(run: EventStream): Promise<() => Promise<boolean>> {
  const queue = `{${cluster.prefix}}:worker`;
  const id = `${run.runId}.d1_1`;
  const keys = [id, `${id}:lock`, `${id}:dependencies`, `${id}:processed`].map(
    (key) => `${queue}:${key}`,
  );
  expect(await cluster.store.unlink(...keys)).toBeGreaterThan(0);
  for (const list of ['active', 'wait']) await cluster.store.lrem(`${queue}:${list}`, 0, id);
  await cluster.store.srem(`${queue}:stalled`, id);
  return async () => (await cluster.store.exists(`${queue}:${id}`)) === 1;
}

/** Every key of BullMQ. */
async function loseQueues(): Promise<void> {
  for await (const keys of cluster.store.scanStream({
    match: `{${cluster.prefix}}:*`,
  }) as AsyncIterable<string[]>)
    if (keys.length > 0) await cluster.store.unlink(...keys);
  expect(await cluster.jobs()).toBe(0);
}

test('lost jobs are added again, and the deadline ends a run whose agents are parked without a worker', async () => {
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const [working, late] = await Promise.all([
    begin('working'),
    // Longer than it takes until its process dies.
    begin('late', { limits: { timeoutSeconds: 40 } }),
  ]);
  for (const mark of ['working', 'late']) await cluster.observed({ event: 'tool-began', mark });
  // A third one gets as far as its report; that its job is done is not heard any more.
  const caught = proxy.trap(/:worker:metrics:completed/);
  await cluster.control.open('reported');
  const reported = await begin('reported');
  await caught;
  await victim.end();
  await reported.has('event: dispatch.report');
  await cluster.control.open('working');
  const back = [await lose(working), await lose(reported)];
  for (const isBack of back) await until('a job that is back', isBack);

  const last = expectValid((await late.end()).text).at(-1);
  expect(last).toMatchObject({ key: 'lifecycle.failed', data: { code: 'DEADLINE' } });
  workers.push(await cluster.start('worker', LOGGED));
  for (const run of [working, reported]) completed((await run.end()).text);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('a run continues from its log after Redis lost every key of the queues', async () => {
  const run = await begin('queues');
  await cluster.processOf(await cluster.observed({ event: 'tool-began', mark: 'queues' })).end();
  await loseQueues();
  await cluster.control.open('queues');
  workers.push(await cluster.start('worker', LOGGED));
  completed((await run.end()).text);
  const continues = 'the job of a run was missing from its queue, and the run continues';
  expect(await warned(run, continues)).toContain(ADVICE);
  const asked = (await cluster.control.observations({ event: 'model-began', mark: 'queues' })).map(
    ({ who, nth }) => `${who} ${nth}`,
  );
  expect(asked).toHaveLength(new Set(asked).size);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});

test('a run continues within 30 s after a queue lost half of its jobs or the dependencies of parked parents', async () => {
  // With the default intervals of the sweep and the queues.
  const own = new Cluster();
  const defaults = { ...LOGGED, LOCK_MS: '', STALL_MS: '', SWEEP_SECONDS: '' };
  const sweeping = new Api((await own.start('api', defaults)).url);
  await own.start('worker', defaults);
  const [half, parents] = [await beginOn(sweeping, 'half'), await beginOn(sweeping, 'parents')];
  for (const mark of ['half', 'parents']) await own.observed({ event: 'tool-began', mark });
  const key = (role: string, id: string, part = '') => `{${own.prefix}}:${role}:${id}${part}`;
  const lost = [
    key('team-supervisor', `${half.runId}.d1`),
    key('worker', `${half.runId}.d1_1`),
    ...[`${parents.runId}.d1`].map((id) => key('team-supervisor', id, ':dependencies')),
    key('global-supervisor', parents.runId, ':dependencies'),
  ];
  expect(await own.store.unlink(...lost)).toBe(4);
  const since = performance.now();
  for (const mark of ['half', 'parents']) await own.control.open(mark);
  for (const run of [half, parents]) completed((await run.end()).text);
  expect(performance.now() - since).toBeLessThan(30_000);
  const added = 'the job of an agent was missing from its queue and was added again';
  expect(await warned(half, added, { dispatchId: '"d1"' }, own)).toContain(ADVICE);
  await until('no job is left', async () => (await own.jobs()) === 0);
  await own.close();
});

const orphaned = async (run: EventStream) => {
  const last = expectValid((await run.end()).text).at(-1);
  expect(last).toMatchObject({
    key: 'lifecycle.failed',
    source: { agent_type: 'global_supervisor' },
    data: { code: 'ORPHANED' },
  });
  expect(last?.data['report']).toMatchObject({ verdict: 'inconclusive', root_causes: [] });
  await until('quiesced', async () => (await api.show(run.runId)).quiesced);
};

test('a run fails with ORPHANED if its pinned configuration is missing or does not name its agents', async () => {
  const [bare, hollow] = [await begin('bare'), await begin('hollow')];
  for (const mark of ['bare', 'hollow']) await cluster.observed({ event: 'tool-began', mark });
  await Promise.all(workers.map((worker) => worker.end()));
  const state = (run: EventStream) => `${cluster.prefix}:{${run.runId}}:state`;
  await cluster.store.hdel(state(bare), 'spec');
  const spec = JSON.parse((await cluster.store.hget(state(hollow), 'spec')) ?? '') as object;
  await cluster.store.hset(state(hollow), 'spec', JSON.stringify({ ...spec, behaviours: {} }));
  await loseQueues();
  const next = await cluster.start('worker');
  await orphaned(bare);
  await orphaned(hollow);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
  await next.end();
});

test('a run whose job is lost repeatedly fails with ORPHANED after five starts', async () => {
  const run = await begin('vanishing');
  let vanished = 0;
  while (!run.ended) {
    const back = await until(
      'its job, or its end',
      async () => run.ended || (await cluster.jobs()) > 0,
    );
    if (back && !run.ended) [vanished] = [vanished + 1, await loseQueues()];
  }
  await orphaned(run);
  expect(vanished).toBeGreaterThanOrEqual(5);
});
