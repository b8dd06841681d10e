import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import type { Api } from '../../support/api.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const WAITING = 30;

let scene: Scene;
let api: Api;
let folder: string;
let admin: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-fair-'));
  const { key } = makeApiKey();
  admin = { authorization: `Bearer ${key}` };
  await writeFile(join(folder, 'key'), key);
  scene = new Scene();
  api = await scene.service({
    AUTH: 'keys',
    AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key'),
    REQUESTS_PER_MINUTE: '0',
    TRIGGERS_PER_MINUTE: '0',
    MAX_OPEN_RUNS: '0',
    GLOBAL_SUPERVISOR_CONCURRENCY: '1',
    TEAM_SUPERVISOR_CONCURRENCY: '1',
    WORKER_CONCURRENCY: '1',
    // Targets are on loopback, which tenants reach only if it is named.
    EGRESS_ALLOW: '127.0.0.0/8',
  });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

/** A tenant with a topology of one node. */
async function tenant(name: string, target: { endpoint: string }) {
  const { data } = await api.ask<{ key: string }>('POST', '/keys', {
    body: { name, role: 'admin', tenant: name },
    headers: admin,
  });
  const headers = { authorization: `Bearer ${data.key}` };
  const body = topologyOf({ shop: target });
  expect((await api.ask('POST', '/topologies', { body, headers })).status).toBe(201);
  const trigger = async () => {
    const question = { body: { topologyId: body.id, userMessage: 'Look.' }, headers };
    const answer = await api.ask<{ runId: string }>('POST', '/executions/trigger', question);
    expect(answer.status).toBe(202);
    return answer.data.runId;
  };
  const run = async (runId: string) =>
    (await api.ask<{ endedAt: string | null }>('GET', `/executions/${runId}`, { headers })).data;
  return { headers, trigger, run };
}

it('diagnoses for a tenant before it goes on with the many waiting runs of another', async () => {
  const behaviour = held(healthy);
  const busy = await httpTarget(scene.targets, behaviour);
  const a = await tenant('a', busy);
  const b = await tenant('b', await httpTarget(scene.targets, healthy));
  const runs = [await a.trigger()];
  await until('the only worker is at work', () => busy.hits > 0);
  for (let i = 0; i < WAITING; i++) runs.push(await a.trigger());
  const own = await b.trigger();
  const stream = await api.follow(own, b.headers);
  await stream.has('event: dispatch.worker');
  behaviour.release();
  await stream.end();
  // One after the other: to ask for all of them again and again would be most of the work of the
  // test.
  for (const runId of runs)
    await until('the run has ended', async () => (await a.run(runId)).endedAt !== null);
  const [{ endedAt: mine }, ...others] = await Promise.all([b.run(own), ...runs.map(a.run)]);
  const before = others.filter(({ endedAt }) => String(endedAt) <= String(mine));
  expect(before.length).toBeLessThan(WAITING / 3);
});
