import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../src/client/index.js';
import { CONNECTION_LIMITS } from '../../../src/tools/limits/connection-limiter.js';
import { RedisConnectionLimiter } from '../../../src/tools/limits/redis-connection-limiter.js';
import type { Api } from '../../support/api.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { onePlace } from '../../support/memory/one-place.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, type Target } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

let scene: Scene;
let api: Api;
let shop: Target;
let topologyId: number;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  shop = await httpTarget(scene.targets, healthy);
  topologyId = await api.store(topologyOf({ shop }));
});
afterAll(() => scene.close());

const LEASE_MS = 50;

/** Begins a probe in a process that dies of it. @returns what the limiter said */
async function die(host: string, port: number): Promise<string> {
  const { redis, prefix } = scene.redis;
  const connection = redis.duplicate();
  const limiter = new RedisConnectionLimiter(connection, prefix, CONNECTION_LIMITS, LEASE_MS);
  const { admission } = await onePlace(limiter, { host, port, tool: 'http_probe' });
  connection.disconnect();
  return admission.kind;
}

async function diagnose(id = topologyId) {
  const { text, runId } = await (await api.trigger(id)).end();
  const { data } = await api.ask<RunRecord>('GET', `/executions/${runId}`);
  return { events: expectValid(text), report: data.report };
}

test('a node whose probe has ended two processes is not probed in any run, until that is lifted', async () => {
  const { hostname, port } = new URL(shop.endpoint);
  const target = `${hostname}:${port}`;
  await until(
    'the target is quarantined',
    async () => (await die(hostname, Number(port))) === 'quarantined',
  );

  const { events, report } = await diagnose();
  expect(shop.hits).toBe(0);
  const errors = events.filter(({ key }) => key === 'system.error');
  expect(errors.length).toBeGreaterThan(0);
  for (const { data } of errors) {
    expect(data).toMatchObject({ code: 'NODE_QUARANTINED', node: 'shop' });
    expect(data['message']).toContain(`DELETE /tools/quarantine/${target}`);
  }
  expect(report).toMatchObject({
    verdict: 'inconclusive',
    unchecked: [{ node: 'shop', reason: 'NODE_QUARANTINED' }],
    nodes: [{ node: 'shop', state: 'unknown' }],
  });

  const listed = await api.ask<{ items: object[] }>('GET', '/tools/quarantine');
  expect(listed.data.items).toMatchObject([{ target, tool: 'http_probe' }]);
  expect((await api.ask('DELETE', `/tools/quarantine/${target}`)).status).toBe(200);
  expect(await api.ask('DELETE', `/tools/quarantine/${target}`)).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
  });

  const after = await diagnose();
  expect(shop.hits).toBeGreaterThan(0);
  expect(after.report).toMatchObject({ verdict: 'healthy', unchecked: [] });
});

test('a quarantined PostgreSQL is unchecked, and no root cause', async () => {
  let connections = 0;
  const port = await scene.targets.open(createServer(() => void (connections += 1)));
  await until(
    'the target is quarantined',
    async () => (await die('127.0.0.1', port)) === 'quarantined',
  );
  const app = await httpTarget(scene.targets, healthy);
  const pg = { kind: 'postgres', endpoint: `postgres://127.0.0.1:${port}/shop` };
  const id = await api.store(topologyOf({ app: { ...app, dependsOn: ['pg'] }, pg }));

  const { events, report } = await diagnose(id);
  expect(connections).toBe(0);
  const codes = events.flatMap(({ key, data }) => (key === 'system.error' ? [data['code']] : []));
  expect(new Set(codes)).toEqual(new Set(['NODE_QUARANTINED']));
  expect(report).toMatchObject({
    verdict: 'inconclusive',
    root_causes: [],
    findings: [],
    unchecked: [{ node: 'pg', reason: 'NODE_QUARANTINED' }],
  });
});
