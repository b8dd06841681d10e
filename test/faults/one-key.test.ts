import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { EventStream, expectValid } from '../support/streams/event-stream.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say } from './lib/cluster.js';

let cluster: Cluster;
let apis: Api[];
beforeAll(async () => {
  cluster = new Cluster();
  const [one, two] = await Promise.all([
    cluster.start('api'),
    cluster.start('api'),
    cluster.start('worker'),
  ]);
  apis = [new Api(one.url), new Api(two.url)];
});
afterAll(() => cluster.close());

const count = async (api: Api) =>
  (await api.ask<{ items: unknown[] }>('GET', '/executions?limit=200')).data.items.length;

test('50 concurrent triggers with one key on two nodes are one run, even if a node is killed', async () => {
  const [one, two] = apis as [Api, Api];
  const id = await one.store(topologyOf({ db: scriptedNode('touch', { mark: 'key' }) }));
  const before = await count(one);
  const body = { topologyId: id, ...say({ mark: 'key' }) };
  const headers = { 'idempotency-key': 'one-and-only' };
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const api = i % 2 === 0 ? one : two;
      if (i % 3 === 0) {
        const stream = await EventStream.open(api.at('/executions/trigger'), {
          method: 'POST',
          body,
          headers,
        });
        return { status: stream.status, runId: stream.runId, stream };
      }
      const { status, data } = await api.ask<{ runId: string }>('POST', '/executions/trigger', {
        body,
        headers,
      });
      return { status, runId: data.runId, stream: undefined };
    }),
  );
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 202]));
  const logs = await Promise.all(answers.flatMap(({ stream }) => (stream ? [stream.end()] : [])));
  expect(new Set(logs.map(({ log }) => log)).size).toBe(1);
  expect(expectValid(logs[0]?.text ?? '').at(-1)?.key).toBe('lifecycle.completed');
  expect(await count(two)).toBe(before + 1);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'key' })).toHaveLength(1);
  // Long after it has ended, too; nothing is started again.
  const again = await two.ask<{ runId: string }>('POST', '/executions/trigger', { body, headers });
  expect([again.status, again.data.runId]).toEqual([202, answers[0]?.runId]);
  const other = await one.ask('POST', '/executions/trigger', {
    body: { ...body, userMessage: 'another' },
    headers,
  });
  expect([other.status, other.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  await until('no job is left', async () => (await cluster.jobs()) === 0);
  expect(await cluster.control.observations({ event: 'tool-began', mark: 'key' })).toHaveLength(1);
});
