import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import type { Api } from '../../support/api.js';
import { EventStream } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

let scene: Scene;
let folder: string;
let hanging: ReturnType<typeof topologyOf>;
const { key: admin } = makeApiKey();
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-limits-'));
  await writeFile(join(folder, 'key'), admin);
  scene = new Scene();
  hanging = topologyOf({ shop: await httpTarget(scene.targets, silent) });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

const service = (env: Record<string, string>) =>
  scene.service({
    AUTH: 'keys',
    AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key'),
    // Targets are on loopback, which tenants reach only if it is named.
    FAILED_LOGINS_PER_MINUTE: '0',
    EGRESS_ALLOW: '127.0.0.0/8',
    ...env,
  });

async function keyOf(api: Api, name: string, tenant = 'default'): Promise<string> {
  const { data } = await api.ask<{ key: string }>('POST', '/keys', {
    body: { name, role: 'admin', tenant },
    headers: bearer(admin),
  });
  return data.key;
}

async function trigger(api: Api, key: string) {
  await api.ask('POST', '/topologies', { body: hanging, headers: bearer(key) });
  return () =>
    api.ask<{ runId: string; limit?: number }>('POST', '/executions/trigger', {
      body: { topologyId: hanging.id, userMessage: 'What is wrong?' },
      headers: bearer(key),
    });
}

describe('H9: limits', () => {
  it('of conversations hold for a principal, and not for what it has', async () => {
    const api = await service({ MAX_CONVERSATIONS: '2' });
    const [key, other] = [await keyOf(api, 'talker'), await keyOf(api, 'other')];
    const ask = async (message: string, by: string, conversationId?: string) => {
      const answer = await fetch(`${api.url}/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(by) },
        body: JSON.stringify({ message, ...(conversationId && { session_id: conversationId }) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    for (let i = 0; i < 2; i += 1) expect((await ask('Hello', key)).status).toBe(200);
    const refused = 'You may have 2 conversations; delete one first';
    expect((await ask('Hello', key)).text).toContain(refused);
    const empty = await fetch(`${api.url}/api/v1/conversations`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...bearer(key) },
    });
    expect([empty.status, await empty.text()]).toEqual([
      429,
      expect.stringContaining(refused) as unknown,
    ]);
    expect((await ask('Hello', other)).text).not.toContain(refused);
    const { data } = await api.ask<{ items: { id: string }[] }>('GET', '/conversations', {
      headers: bearer(key),
    });
    const [{ id } = { id: '' }] = data.items;
    expect((await ask('And now?', key, id)).text).not.toContain(refused);
    await api.ask('DELETE', `/conversations/${id}`, { headers: bearer(key) });
    expect((await ask('Hello', key)).text).not.toContain(refused);
  });

  it('of requests hold for a principal over all processes, with Retry-After', async () => {
    const env = { REQUESTS_PER_MINUTE: '12' };
    const api = await service(env);
    const other = await service(env);
    const key = await keyOf(api, 'eager');
    const answers = [];
    for (let i = 0; i < 14; i++)
      answers.push(await (i % 2 ? api : other).ask('GET', '/tools', { headers: bearer(key) }));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual([...Array<number>(12).fill(200), 429, 429]);
    const refused = answers.at(-1);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
    expect(refused?.headers.get('ratelimit-policy')).toBe('"requests";q=12;w=60');
    expect((await api.ask('GET', '/tools', { headers: bearer(admin) })).status).toBe(200);
    await scene.stop(other);
  });

  it('of triggers and chats hold in the shapes of their clients', async () => {
    const api = await service({ TRIGGERS_PER_MINUTE: '2', CHATS_PER_MINUTE: '1' });
    const key = await keyOf(api, 'chatty');
    const start = await trigger(api, key);
    expect([(await start()).status, (await start()).status]).toEqual([202, 202]);
    expect(await start()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const ask = () =>
      EventStream.open(`${api.url}/chat/stream`, {
        method: 'POST',
        body: { message: 'What is broken?' },
        headers: bearer(key),
      });
    expect((await (await ask()).end()).status).toBe(200);
    const refused = await (await ask()).end();
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toHaveProperty('detail');
  });

  it('of triggers do not hold for a storm of alerts, which has its own', async () => {
    const api = await service({ TRIGGERS_PER_MINUTE: '1', ALERTS_PER_MINUTE: '4' });
    const key = await keyOf(api, 'sender');
    const { data: run } = await (await trigger(api, key))();
    const deliver = (n: number) =>
      api.ask<{ runs: { outcome: string }[] }>('POST', '/alerts/generic', {
        body: {
          alerts: [{ title: `alert ${n}`, labels: { consilium_topology: String(hanging.id) } }],
        },
        headers: bearer(key),
      });
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) outcomes.push((await deliver(n)).data.runs[0]?.outcome);
    expect(outcomes).toEqual(['started', 'joined', 'joined', 'joined']);
    expect(await deliver(5)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const started = (
      await api.ask<{ items: { runId: string }[] }>('GET', '/executions', { headers: bearer(key) })
    ).data;
    for (const { runId } of [...started.items, run])
      await api.ask('POST', '/executions/cancel', { body: { runId }, headers: bearer(admin) });
  });

  it('of open runs hold for a tenant', async () => {
    const api = await service({ MAX_OPEN_RUNS: '2' });
    const [ann, bob] = [await keyOf(api, 'ann', 'shop'), await keyOf(api, 'bob', 'shop')];
    const one = await trigger(api, ann);
    const two = await trigger(api, bob);
    const { data: first } = await one();
    expect((await two()).status).toBe(202);
    const refused = await one();
    expect(refused).toMatchObject({ status: 429, data: { limit: 2, usage: 2 } });
    expect(refused.headers.get('retry-after')).toBe('5');
    const other = await trigger(api, await keyOf(api, 'eve', 'other'));
    expect((await other()).status).toBe(202);
    const body = { runId: first.runId };
    await api.ask('POST', '/executions/cancel', { body, headers: bearer(ann) });
    expect((await two()).status).toBe(202);
  });

  it('of open streams hold for a principal', async () => {
    const api = await service({ MAX_STREAMS: '2' });
    const key = await keyOf(api, 'watcher');
    const { data } = await (await trigger(api, key))();
    const streams = [await api.follow(data.runId, bearer(key))];
    streams.push(await api.follow(data.runId, bearer(key)));
    await Promise.all(streams.map((stream) => stream.has('lifecycle.started')));
    const refused = await api.follow(data.runId, bearer(key));
    expect(refused.status).toBe(429);
    expect((await api.follow(data.runId, bearer(admin))).status).toBe(200);
    // An answer of JSON is no stream.
    const json = { ...bearer(key), accept: 'application/json' };
    const page = await api.ask('GET', `/executions/${data.runId}/events`, { headers: json });
    expect(page.status).toBe(200);
    expect((await (await trigger(api, key))()).status).toBe(202);
    const body = { runId: data.runId };
    await api.ask('POST', '/executions/cancel', { body, headers: bearer(key) });
    await Promise.all(streams.map((stream) => stream.end()));
  });

  it('of failed logins hold for invalid credentials of an address, and not for their valid neighbours', async () => {
    const api = await service({ FAILED_LOGINS_PER_MINUTE: '5' });
    const start = await trigger(api, admin);
    const { runId } = (await start()).data;
    const list = (headers: Record<string, string>) => api.ask('GET', '/tools', { headers });
    const fresh = bearer(await keyOf(api, 'fresh'));
    const session = await fetch(`${api.url}/auth/session`, { method: 'POST', headers: fresh });
    const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const unused = bearer(await keyOf(api, 'unused'));
    const ticket = await api.ask<{ ticket: string }>('POST', '/stream-tickets', {
      body: { runId },
      headers: { cookie },
    });
    for (let i = 0; i < 5; i++) expect((await list(bearer(makeApiKey().key))).status).toBe(401);
    const refused = await list(bearer(makeApiKey().key));
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    for (const invalid of [bearer('a'), { cookie: `__Host-consilium=${'A'.repeat(43)}` }])
      expect((await list(invalid)).status).toBe(429);
    for (const valid of [fresh, unused, { cookie }]) expect((await list(valid)).status).toBe(200);
    const stream = await api.follow(runId, {}, `?ticket=${ticket.data.ticket}`);
    expect(stream.status).toBe(200);
    expect((await api.ask('GET', '/tools')).status).toBe(401);
    await api.ask('POST', '/executions/cancel', { body: { runId }, headers: fresh });
    await stream.end();
  });

  it('do not hold without authentication', async () => {
    const strict = { REQUESTS_PER_MINUTE: '1', MAX_OPEN_RUNS: '1', MAX_STREAMS: '1' };
    const api = await scene.service({ ...strict, TRIGGERS_PER_MINUTE: '1' });
    const topology = { ...hanging, id: hanging.id + 100_000 };
    await api.store(topology);
    for (let i = 0; i < 3; i++) await api.cancel(await api.accept(topology.id));
  });
});
