import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { expectValid } from '../support/event-stream.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { teamOfEach } from '../support/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './cluster.js';

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

test.each([
  ['after a team was recorded as sent, before its job was there', /"dispatchId":"d1"/],
  // Of the first one, whichever it is: no worker can be in the middle of its tool yet.
  ['after a worker was recorded as sent, before its job was there', /"dispatchId":"d\d_1"/],
  ['after the jobs were there, before the supervisor was parked', /:waiting-children/],
  ['after the last report, before the end of the run was recorded', /lifecycle\.completed/],
  ['with the run in its hands, before it had claimed it', /\r\ntop\r\n/],
])('a worker killed %s dispatches no agent twice and forgets none', async (name, pattern) => {
  // Only what this process writes to Redis goes through the proxy.
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const id = await api.store(
    teamOfEach({
      web: scriptedNode('touch', { mark: `${name} web` }),
      db: scriptedNode('touch', { mark: `${name} db` }),
    }),
  );
  const caught = proxy.trap(pattern);
  const run = await api.trigger(id, say({ mark: name }));
  await caught;
  const heir = cluster.start('worker');
  await victim.end();
  const events = expectValid((await run.end()).text);
  await (await heir).end('SIGTERM');
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  const dispatched = events.filter(
    ({ key }) => key === 'dispatch.team' || key === 'dispatch.worker',
  );
  expect(dispatched.map(({ data }) => data['dispatch_id']).toSorted()).toEqual([
    'd1',
    'd1_1',
    'd2',
    'd2_1',
  ]);
  for (const node of ['web', 'db'])
    expect(
      await cluster.control.observations({ event: 'tool-began', mark: `${name} ${node}` }),
    ).toHaveLength(1);
  expect(events.filter(({ data }) => data['code'] === 'AGENT_RESUMED').length).toBeLessThanOrEqual(
    4,
  );
  await until('no job is left', async () => (await cluster.jobs()) === 0);
});
