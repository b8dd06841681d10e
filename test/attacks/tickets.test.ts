import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../src/http/access/opaque-token.js';
import { ticketKey } from '../../src/redis/keys.js';
import { AttackScene } from './attack-scene.js';

const BASE = '/api/service/v1';

let scene: AttackScene;
/** Two diagnoses that have ended. */
let runs: string[];
beforeAll(async () => {
  scene = await AttackScene.open('keys');
  const shop = { endpoint: '127.0.0.1:1', kind: 'tcp' };
  const logs = [await scene.diagnose({ shop }), await scene.diagnose({ shop })];
  runs = logs.map(({ log }) => /"run_id":"([^"]+)"/.exec(log)?.[1] ?? '');
});
afterAll(() => scene.close());

type Headers = Record<string, string>;

async function made<Data>(path: string, body: object, headers: Headers = {}): Promise<Data> {
  const { status, said } = await scene.post(path, body, headers);
  expect([status, said]).toEqual([201, said]);
  return (JSON.parse(said) as { data: Data }).data;
}
const keyOf = (tenant: string) =>
  made<{ id: string; key: string }>('/keys', { name: 'spy', role: 'admin', tenant });
const ticketFor = async (runId: string, headers: Headers = {}) =>
  (await made<{ ticket: string }>('/stream-tickets', { runId }, headers)).ticket;
const events = (runId: string, ticket: string, more = '') =>
  `${BASE}/executions/${runId}/events?ticket=${ticket}${more}`;
const status = async (path: string, method = 'GET', headers: Headers = {}) =>
  (await scene.ask(path, { method, headers })).status;

describe('a ticket', () => {
  it('opens its stream, and is good for nothing else', async () => {
    const [run = '', other = ''] = runs;
    const ticket = await ticketFor(run);
    expect(await status(events(run, ticket))).toBe(200);
    for (const [method, path] of [
      ['GET', events(other, ticket)],
      ['GET', `${BASE}/executions/${run}?ticket=${ticket}`],
      ['GET', `${BASE}/executions/${run}/reports?ticket=${ticket}`],
      ['GET', `${BASE}/executions?ticket=${ticket}`],
      ['GET', `${BASE}/executions/${run}/events/?ticket=${ticket}`],
      ['GET', `${BASE}/executions/${other}/../${run}/events?ticket=${ticket}`],
      ['GET', `/auth/session?ticket=${ticket}`],
      ['POST', events(run, ticket)],
      ['POST', `/auth/session?ticket=${ticket}`],
      ['HEAD', events(run, ticket)],
      ['GET', events(run, ticket.slice(0, -1))],
      ['GET', events(run, `${ticket}a`)],
      ['GET', events(run, ticket, `&ticket=${ticket}`)],
      ['GET', `${BASE}/executions/${run}/events?ticket[]=${ticket}`],
    ] as const)
      expect([method, path, await status(path, method)]).toEqual([method, path, 401]);
    expect(
      await status(`${BASE}/topologies`, 'GET', { cookie: `__Host-consilium=${ticket}` }),
    ).toBe(401);
    expect(await status(`${BASE}/topologies`, 'GET', { authorization: `Bearer ${ticket}` })).toBe(
      401,
    );
  });

  it('is sold to none of another tenant, as for a run that does not exist', async () => {
    const { key } = await keyOf('globex');
    const headers = { authorization: `Bearer ${key}` };
    const [foreign, missing] = await Promise.all(
      [runs[0], '01960d3c-5f2a-7cc0-8000-000000000001'].map((runId) =>
        scene.post('/stream-tickets', { runId }, headers),
      ),
    );
    expect(foreign?.status).toBe(404);
    const hidden = (said = '') => said.replace(/[0-9a-f-]{36}/, '#');
    expect(hidden(foreign?.said)).toBe(hidden(missing?.said));
  });

  it('ends with the key that bought it', async () => {
    const { id, key } = await keyOf('default');
    const [run = ''] = runs;
    const headers = { authorization: `Bearer ${key}` };
    const opened = await ticketFor(run, headers);
    const unopened = await ticketFor(run, headers);
    expect(await status(events(run, opened))).toBe(200);
    const path = `${BASE}/keys/${id}`;
    expect(await status(path, 'DELETE', scene.insider)).toBe(200);
    expect(await status(events(run, opened))).toBe(401);
    expect(await status(events(run, unopened))).toBe(401);
  });

  it('ends when the credential that bought it would have expired', async () => {
    const [run = ''] = runs;
    const ticket = await ticketFor(run);
    const { redis, prefix } = scene.scene.redis;
    const key = ticketKey(prefix, digestOf(ticket));
    const record = JSON.parse((await redis.get(key)) ?? '') as { principal: object };
    const principal = { ...record.principal, expiresAt: Date.now() - 1 };
    await redis.set(key, JSON.stringify({ ...record, principal }), 'KEEPTTL');
    expect(await status(events(run, ticket))).toBe(401);
  });

  it('is in no name of the store, and opens for a minute', async () => {
    const ticket = await ticketFor(runs[0] ?? '');
    const { redis, prefix } = scene.scene.redis;
    expect((await redis.keys(`*${prefix}*`)).join()).not.toContain(ticket);
    expect(await redis.ttl(ticketKey(prefix, digestOf(ticket)))).toBeLessThanOrEqual(60);
  });
});

it('no credential, session or ticket is in the log of the process', async () => {
  const key = (scene.insider['authorization'] ?? '').split(' ')[1] ?? '';
  const { redis, prefix } = scene.scene.redis;
  const process = await scene.scene.process({
    REDIS_URL: scene.scene.redis.url,
    REDIS_PREFIX: prefix,
    AUTH: 'keys',
    LOG_LEVEL: 'debug',
    ROLE: 'api',
  });
  expect(await redis.ping()).toBe('PONG');
  const ask = (path: string, init: RequestInit) => fetch(`${process.api.url}${path}`, init);
  const ticket = await ticketFor(runs[0] ?? '');
  const session = await ask('/auth/session', { method: 'POST', headers: scene.insider });
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  for (const path of [
    events(runs[0] ?? '', ticket),
    events('nothing', ticket),
    `/nothing?key=${key}`,
  ])
    await (await ask(path, { headers: { cookie } })).text();
  await (await ask(`${BASE}/topologies`, { headers: { 'x-api-key': `${key}x` } })).text();
  await process.stop('SIGTERM');
  const output = process.output();
  expect(output).toContain('request completed');
  for (const secret of [key, ticket, cookie.split('=')[1] ?? ''])
    expect(output).not.toContain(secret);
});
