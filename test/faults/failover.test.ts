import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startPrivateRedis, type PrivateRedis } from '../../src/local/private-redis.js';
import { Api } from '../support/api.js';
import { expectValid, type EventStream } from '../support/streams/event-stream.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let primary: PrivateRedis;
let replica: PrivateRedis;
/** From the replica to the primary. */
let link: TcpProxy;
/**
 * Proxies to the primary: of one API node, of another, of the workers, and of an API node without
 * followers.
 */
let ways: [TcpProxy, TcpProxy, TcpProxy, TcpProxy];
let asked: Redis;
let cluster: Cluster;
beforeAll(async () => {
  primary = await startPrivateRedis();
  link = await TcpProxy.to(primary.url);
  const { port } = new URL(link.url);
  replica = await startPrivateRedis({ extraArgs: ['--replicaof', '127.0.0.1', port] });
  const way = () => TcpProxy.to(primary.url);
  ways = [await way(), await way(), await way(), await way()];
  asked = new Redis(replica.url, { maxRetriesPerRequest: 3 });
  cluster = new Cluster(ways[2].url, ways[2].url);
});
afterAll(async () => {
  await cluster.close();
  asked.disconnect();
  for (const proxy of [...ways, link]) await proxy.close();
  await Promise.all([primary.stop(), replica.stop()]);
});

const logAt = (run: EventStream) => `${cluster.prefix}:{${run.runId}}:log`;
const resume = (api: Api, runId: string, cursor: number, accept: string) =>
  api.ask('GET', `/executions/${runId}/events`, {
    headers: { accept, 'last-event-id': String(cursor) },
  });

test('clients of a log that lost its tail in a failover get a clear end and no other history', async () => {
  const [one, two, workers, three] = ways;
  const [first, second, third] = await Promise.all(
    [one, two, three].map(({ url }) => cluster.start('api', { REDIS_URL: url })),
  );
  await cluster.start('worker');
  const api = new Api(first?.url ?? '');
  const other = new Api(second?.url ?? '');
  const idle = new Api(third?.url ?? '');
  const tokens = ['tail', 'web', 'last'];
  const nodes = Object.fromEntries(
    tokens.map((mark) => [mark, scriptedNode('look', { mark, gate: mark })]),
  );
  const run = await api.trigger(await api.store(topologyOf(nodes)), say({ mark: 'tail' }));
  const elsewhere = await other.follow(run.runId);
  for (const mark of tokens) await cluster.observed({ event: 'tool-began', mark });
  await until(
    'a replica with all events',
    async () => (await asked.xlen(logAt(run))) === run.lastSequence,
  );

  link.cut();
  await cluster.control.open('tail');
  await run.has('event: dispatch.report');
  await elsewhere.has('event: dispatch.report');
  const seen = run.lastSequence;
  for (const way of ways) way.cut();
  await primary.stop();
  expect(await asked.xlen(logAt(run))).toBeLessThan(seen);
  await asked.replicaof('NO', 'ONE');
  // The agents find it first, and write past what the clients have seen.
  workers.retarget(replica.url);
  workers.mend();
  await cluster.control.open('web');
  await until(
    'a longer log with other events',
    async () => (await asked.xlen(logAt(run))) > seen + 3,
  );
  const before = [run.text.length, elsewhere.text.length];

  // A client may come back to a node that has never seen the run, before any other knows what was
  // lost.
  three.retarget(replica.url);
  three.mend();
  await until('ready', async () => (await fetch(`${idle.url}/health/ready`)).status === 200);
  const early = resume(idle, run.runId, seen, 'application/json');
  one.retarget(replica.url);
  one.mend();
  await run.end();
  expect(await early).toMatchObject({ status: 410, code: 'RUN_EXPIRED' });
  expect(run.log).toHaveLength(
    run.text.slice(0, before[0]).replaceAll(/^(: ping|retry: 3000)\n\n/gm, '').length,
  );
  for (const accept of ['text/event-stream', 'application/json'])
    expect(await resume(api, run.runId, seen, accept)).toMatchObject({
      status: 410,
      code: 'RUN_EXPIRED',
    });

  // The other node learns of it from the log, before it has compared anything itself.
  two.retarget(replica.url);
  two.mend();
  await elsewhere.end();
  expect(elsewhere.log).toBe(run.log);
  for (const cursor of [seen, seen - 1])
    expect(await resume(other, run.runId, cursor, 'text/event-stream')).toMatchObject({
      status: 410,
    });

  // A reader from the beginning gets all of it, and a client that has seen only this history may
  // resume.
  await cluster.control.open('last');
  const again = await (await other.follow(run.runId)).end();
  expect(expectValid(again.text).at(-1)).toMatchObject({ key: 'lifecycle.completed' });
  expect(again.log).not.toContain(run.log);
  const late = await (
    await api.follow(run.runId, { 'last-event-id': String(again.lastSequence - 2) })
  ).end();
  expect(again.log.endsWith(late.log) && late.lastSequence === again.lastSequence).toBe(true);
  // A cursor beyond the end may be of what was lost.
  expect(await resume(api, run.runId, again.lastSequence + 1, 'application/json')).toMatchObject({
    status: 410,
    code: 'RUN_EXPIRED',
  });
});
