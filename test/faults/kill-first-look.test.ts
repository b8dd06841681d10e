import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import {
  expectValid,
  type CheckedEvent,
  type EventStream,
} from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, say, scriptedNode } from './lib/cluster.js';

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

/** A run in which an agent measures nothing, so that the service makes its call. */
async function trigger(mark: string, gate?: string, idle = 'worker:db'): Promise<EventStream> {
  const db = scriptedNode('look', { mark, ...(gate !== undefined && { gate }) });
  const id = await api.store(topologyOf({ db }));
  return api.trigger(id, say({ mark, idle }));
}

const calls = (events: readonly CheckedEvent[]) =>
  events.flatMap(({ key, data }) =>
    key === 'llm.tool_call' ? [[data['tool'], data['by_service']]] : [],
  );
const results = (events: readonly CheckedEvent[]) =>
  events.flatMap(({ key, data }) => (key === 'llm.tool_result' ? [data['status']] : []));
const began = (mark: string) => cluster.control.observations({ event: 'tool-began', mark });

/** Ends the run in another process: the node is measured by one recorded call. */
async function inherit(run: EventStream): Promise<void> {
  const heir = await cluster.start('worker');
  const events = expectValid((await run.end()).text);
  await heir.end('SIGTERM');
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: false, report: { verdict: 'healthy', unchecked: [] } },
  });
  expect(calls(events)).toEqual([['look', true]]);
  expect(results(events)).toEqual(['ok']);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
}

test('a call of the service that was recorded, but not made before its process died, is made once', async () => {
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  proxy.loseAnswers(/"by_service":true/, 1, 'silence');
  const run = await trigger('recorded');
  await run.has('"by_service":true');
  await victim.end();
  expect(await began('recorded')).toEqual([]);
  await inherit(run);
  expect(await began('recorded')).toHaveLength(1);
});

test('a call of the service that was not recorded when its process died is recorded and made once', async () => {
  const victim = await cluster.start('worker', { REDIS_URL: proxy.url });
  const caught = proxy.trap(/"by_service":true/);
  const run = await trigger('trapped');
  await caught;
  await victim.end();
  expect(await began('trapped')).toEqual([]);
  await inherit(run);
  expect(await began('trapped')).toHaveLength(1);
});

test.each(['worker:db', 'global_supervisor:'])(
  'a call of the service for %s is repeated if its process dies in the middle of it',
  async (idle) => {
    const victim = await cluster.start('worker');
    const run = await trigger(idle, idle, idle);
    await cluster.observed({ event: 'tool-began', mark: idle });
    await victim.end();
    await cluster.control.open(idle);
    await inherit(run);
    expect(await began(idle)).toHaveLength(2);
  },
);
