import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { teamOfEach, topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';
import { lasting } from './long.js';

let proxy: TcpProxy;
let cluster: Cluster;
let api: Api;
beforeAll(async () => {
  const direct = process.env['TEST_REDIS_URL'] as string;
  proxy = await TcpProxy.to(direct);
  cluster = new Cluster(proxy.url, direct);
  const [first] = await Promise.all([
    cluster.start('api'),
    cluster.start('worker', { LOCK_MS: '3000' }),
  ]);
  api = new Api(first.url);
});
afterEach(async () => {
  proxy.mend();
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});
afterAll(async () => {
  await cluster.close();
  await proxy.close();
});

const completed = async (run: EventStream) => {
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  return events;
};
const resumed = (run: EventStream) => run.text.split('AGENT_RESUMED').length - 1;
const pair = (mark: string) =>
  teamOfEach({
    web: scriptedNode('touch', { mark: `${mark} web`, takes: 20 }),
    db: scriptedNode('touch', { mark: `${mark} db`, takes: 20 }),
  });

test.each([
  ['a tool result', /llm\.tool_result/],
  ['a turn', /"finish_reason"/],
  ['a dispatch', /dispatch\.worker/],
  ['a report', /dispatch\.report/],
  ['the terminal event', /lifecycle\.completed/],
  ['a park', /waiting-children/],
  ['the first events of a run', /lifecycle\.started/],
])(
  'records %s once if the reply to its append is lost, and repeats nothing',
  async (name, pattern) => {
    const id = await api.store(pair(name));
    proxy.loseAnswers(pattern);
    const run = await api.trigger(id, say({ mark: name }));
    const events = await completed(run);
    expect(proxy.isLosing).toBe(false);
    expect(events.filter(({ key }) => key === 'llm.tool_result')).toHaveLength(2);
    for (const node of ['web', 'db'])
      expect(
        await cluster.control.observations({ event: 'tool-began', mark: `${name} ${node}` }),
      ).toHaveLength(1);
    const asked = (await cluster.control.observations({ event: 'model-began', mark: name })).map(
      ({ who, nth }) => `${who} ${nth}`,
    );
    expect(asked.length - new Set(asked).size).toBe(resumed(run));
  },
);

test('connections that are reset repeatedly lose and repeat nothing', async () => {
  const id = await api.store(pair('reset'));
  let resets = 0;
  const timer = setInterval(() => (proxy.reset(), resets++), lasting(400, 5_000));
  const began = performance.now();
  try {
    let round = 0;
    for (; round < 4 || resets < 5 || performance.now() - began < lasting(0, 60_000); round++) {
      const runs = await Promise.all(
        Array.from({ length: 5 }, async (_, i) => {
          // The connection may be reset during the trigger: 503, so it is sent again.
          for (;;) {
            const run = await api.trigger(id, say({ mark: `reset ${round} ${i}`, slow: 20 }));
            if (run.status === 200) return run;
          }
        }),
      );
      for (const run of runs)
        expect((await completed(run)).filter(({ key }) => key === 'llm.tool_result')).toHaveLength(
          2,
        );
    }
    const called = await cluster.control.observations({ event: 'tool-began' });
    expect(called.filter(({ mark }) => mark.startsWith('reset'))).toHaveLength(round * 5 * 2);
  } finally {
    clearInterval(timer);
  }
});

test('200 ms of delay to Redis lose no lock and resume no agent', async () => {
  const id = await api.store(
    topologyOf({ db: scriptedNode('touch', { mark: 'late', takes: 2_000 }) }),
  );
  proxy.delay(100);
  const run = await api.trigger(id, say({ mark: 'late' }));
  await completed(run);
  expect(resumed(run)).toBe(0);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'late' })).toHaveLength(1);
});

test('half-open connections are replaced, and the run continues', async () => {
  const id = await api.store(
    topologyOf({ db: scriptedNode('look', { mark: 'half', gate: 'half' }) }),
  );
  const run = await api.trigger(id, say({ mark: 'half' }));
  await cluster.observed({ event: 'tool-began', mark: 'half' });
  const asked = await api.trigger(
    id,
    say({ mark: 'half asked', hold: { who: 'worker:db', turn: 1, gate: 'half' } }),
  );
  await cluster.observed({ event: 'model-began', mark: 'half asked', who: 'worker:db' });
  proxy.swallow();
  // New connections fail, too. The process knows by its own clock that its locks have expired, and
  // aborts its work.
  await cluster.observed({ event: 'tool-aborted', mark: 'half' });
  await cluster.observed({ event: 'model-aborted', mark: 'half asked' });
  // New connections work from here on.
  proxy.mend();
  await cluster.control.open('half');
  await completed(run);
  await completed(asked);
});
