import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let proxy: TcpProxy;
let cluster: Cluster;
let api: Api;
beforeAll(async () => {
  const direct = process.env['TEST_REDIS_URL'] as string;
  proxy = await TcpProxy.to(direct);
  cluster = new Cluster(direct);
  api = new Api((await cluster.start('api')).url);
});
afterAll(async () => {
  await cluster.close();
  await proxy.close();
});

/** How often the job of a dispatch was added and was not there before. */
async function added(runId: string, dispatchId: string): Promise<number> {
  const events = `{${cluster.prefix}}:team-supervisor:events`;
  const all = await cluster.store.xrange(events, '-', '+');
  return all.filter(
    ([, fields]) => fields[1] === 'added' && fields.includes(`${runId}.${dispatchId}`),
  ).length;
}

test('a process that adds jobs after another has done their work fails no agent and repeats nothing', async () => {
  const mark = 'late';
  const env = { LOG_LEVEL: 'error' };
  // Only what this process writes to Redis goes through the proxy.
  const slow = await cluster.start('worker', { ...env, REDIS_URL: proxy.url });
  const nodes = {
    web: scriptedNode('touch', { mark: `${mark} web` }),
    db: scriptedNode('touch', { mark: `${mark} db` }),
  };
  const id = await api.store(teamOfEach(nodes));
  const held = proxy.holdAt(/"dispatchId":"d1"/);
  // Its second turn comes when all have reported.
  const hold = { who: 'global_supervisor:', turn: 2, gate: mark };
  const run = await api.trigger(id, say({ mark, hold }));
  await held;
  const heir = await cluster.start('worker', env);
  const second = { event: 'model-began', mark, who: hold.who, nth: 2 } as const;
  await cluster.observed(second);
  expect(await added(run.runId, 'd1')).toBe(1);
  // What the first process had sent arrives now: the jobs are there again, and their parent is at
  // work.
  proxy.mend();
  await until('the job is there again', async () => (await added(run.runId, 'd1')) === 2);
  await cluster.control.open(mark);
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  for (const node of ['web', 'db'])
    expect(
      await cluster.control.observations({ event: 'tool-began', mark: `${mark} ${node}` }),
    ).toHaveLength(1);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
  for (const { said } of [slow, heir]) expect(said).not.toMatch(/a job failed/);
});
