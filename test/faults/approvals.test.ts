import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { EventData } from '../../src/domain/events/event.js';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/streams/event-stream.js';
import { Loopback } from '../support/loopback.js';
import { processManager, type ProcessManager } from '../support/programs/process-manager.js';
import { erroring, httpTarget } from '../support/processes/target.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster } from './lib/cluster.js';

let proxy: TcpProxy;
let cluster: Cluster;
let api: Api;
const loopback = new Loopback();
let manager: ProcessManager;
let topologyId: number;
beforeAll(async () => {
  const direct = process.env['TEST_REDIS_URL'] as string;
  proxy = await TcpProxy.to(direct);
  cluster = new Cluster(direct);
  api = new Api((await cluster.start('api')).url);
});
beforeEach(async () => {
  manager = await processManager(loopback);
  const shop = await httpTarget(loopback, erroring);
  topologyId = await api.store(
    topologyOf({ shop: { endpoint: shop.endpoint, attributes: { restartUrl: manager.url } } }),
  );
});
afterAll(async () => {
  await cluster.close();
  await proxy.close();
  await loopback.close();
});

/** The approval that a run asks for. */
async function asked(run: EventStream): Promise<EventData['system.approval']> {
  await run.has('event: system.approval');
  const [, json = ''] = /\nevent: system\.approval\nid: \d+\ndata: (.*)\n/.exec(run.log) ?? [];
  return (JSON.parse(json) as { data: EventData['system.approval'] }).data;
}

const decide = (
  run: EventStream,
  { approval_id, args_digest }: EventData['system.approval'],
  decision: 'approve' | 'deny' = 'approve',
) =>
  api.ask('POST', `/executions/${run.runId}/approvals/${approval_id}`, {
    body: { decision, args_digest },
  });

/** What the log says about the change, which is asked for, decided and carried out once. */
async function expectOneRestart(run: EventStream): Promise<void> {
  const events = expectValid((await run.end()).text);
  const count = (name: string) => events.filter(({ key }) => key === name).length;
  expect([count('system.approval'), count('system.decision')]).toEqual([1, 1]);
  expect(manager.restarts).toBe(1);
  const results = events.filter(({ data }) => data['tool'] === 'restart_process' && data['result']);
  expect(results).toMatchObject([{ data: { status: 'ok', approval: { decision: 'approve' } } }]);
  expect(events.at(-1)?.data).toMatchObject({
    report: { verdict: 'root_cause_found', repairs: [{ node: 'shop', outcome: 'done' }] },
  });
  await until('no job is left', async () => (await cluster.jobs()) === 0);
}

test('a worker that dies before its question is recorded leaves the question to another', async () => {
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const caught = proxy.trap(/"action":"approval"/);
  const run = await api.trigger(topologyId, { repair: true });
  await caught;
  await victim.end();
  const heir = await cluster.start('worker');
  expect((await decide(run, await asked(run))).status).toBe(200);
  await expectOneRestart(run);
  await heir.end('SIGTERM');
});

test('a worker that dies between the approval and the action does not lose the action', async () => {
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const run = await api.trigger(topologyId, { repair: true });
  const approval = await asked(run);
  const caught = proxy.trap(/\\?"started\\?":\{\\?"by/);
  expect((await decide(run, approval)).status).toBe(200);
  await caught;
  await victim.end();
  expect(manager.asked).toEqual([]);
  const heir = await cluster.start('worker');
  await expectOneRestart(run);
  expect(manager.asked).toHaveLength(1);
  await heir.end('SIGTERM');
});

test('a worker that dies between the action and its record repeats nothing', async () => {
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const run = await api.trigger(topologyId, { repair: true });
  const approval = await asked(run);
  const caught = proxy.trap(/"action":"tool_result".*restart_process/);
  expect((await decide(run, approval)).status).toBe(200);
  await caught;
  await victim.end();
  expect(manager.asked).toHaveLength(1);
  const heir = await cluster.start('worker');
  await expectOneRestart(run);
  // The heir asks again, with the same key.
  expect(manager.asked).toEqual([manager.asked[0], manager.asked[0]]);
  await heir.end('SIGTERM');
});

test('an approval is kept while no worker is there, and can be repeated', async () => {
  const victim = await cluster.start('worker');
  const run = await api.trigger(topologyId, { repair: true });
  const approval = await asked(run);
  await victim.end('SIGTERM');
  const first = await decide(run, approval);
  const again = await decide(run, approval);
  const other = await decide(run, approval, 'deny');
  expect([first.status, again.status, other.status]).toEqual([200, 200, 409]);
  expect(again.data).toEqual(first.data);
  expect(other.code).toBe('APPROVAL_CLOSED');
  const heir = await cluster.start('worker');
  await expectOneRestart(run);
  await heir.end('SIGTERM');
});
