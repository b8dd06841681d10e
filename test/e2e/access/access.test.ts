import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import { ROLES, type Role } from '../../../src/domain/roles.js';
import type { Api } from '../../support/api.js';
import { EventStream } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

import { bearer, keyedService, type KeyedService } from '../../support/processes/keyed-service.js';

const service = keyedService();
const { keys, trigger } = service;
const start: KeyedService['start'] = (...given) => service.start(...given);
let scene: Scene;
let api: Api;
beforeAll(() => void ({ scene, api } = service));

interface Operations {
  paths: Record<string, Record<string, unknown>>;
}

/** Every operation that the service describes. */
async function operations(): Promise<[method: string, path: string][]> {
  const response = await fetch(`${api.url}/docs-json`, { headers: bearer(keys.viewer) });
  const { paths } = (await response.json()) as Operations;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, '1'),
    ]),
  );
}

describe('without a good credential', () => {
  it('every operation but the health of the process is refused', async () => {
    const found = await operations();
    expect(found.length).toBeGreaterThan(40);
    for (const [method, path] of [...found, ['GET', '/docs'], ['GET', '/nothing/here']] as const) {
      const { status, headers } = await fetch(api.url + path, { method });
      const open = path.startsWith('/health');
      expect([method, path, status === 401]).toEqual([method, path, !open]);
      expect(headers.get('www-authenticate')).toBe(open ? null : 'Bearer');
    }
  });

  it.each([
    ['another key', bearer(makeApiKey().key)],
    [
      'a key that was changed',
      {
        get authorization() {
          return `Bearer ${keys.admin.slice(0, -1)}x`;
        },
      },
    ],
    ['a token', bearer('a.b.c')],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['an empty header', { authorization: 'Bearer ' }],
    ['another session', { cookie: `__Host-consilium=${'a'.repeat(43)}` }],
    ['headers of a proxy', { 'x-forwarded-user': 'root', 'x-forwarded-groups': 'admin' }],
    [
      'a bad header before a good key',
      {
        authorization: 'Bearer x',
        get 'x-api-key'() {
          return keys.admin;
        },
      },
    ],
  ])('refuses %s', async (_, headers) => {
    const answer = await api.ask('GET', '/topologies', { headers: { ...headers } });
    expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('refuses a chat in the shape of its clients', async () => {
    const response = await fetch(`${api.url}/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"hello"}',
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toHaveProperty('detail');
  });
});

describe('a role', () => {
  const allowed: [string, string, Role][] = [
    ['GET', '/executions', 'viewer'],
    ['GET', '/topologies', 'viewer'],
    ['GET', '/tools', 'viewer'],
    ['POST', '/executions/trigger', 'trigger'],
    ['POST', '/executions/cancel', 'trigger'],
    ['DELETE', '/tools/quarantine/10.0.0.1:80', 'operator'],
    ['POST', '/topologies', 'admin'],
    ['PUT', '/topologies/1', 'admin'],
    ['DELETE', '/topologies/999999', 'admin'],
    ['GET', '/keys', 'admin'],
  ];

  it.each(allowed)('%s %s needs at least %s', async (method, path, least) => {
    for (const role of ROLES) {
      const { status, code } = await api.ask(method, path, {
        headers: bearer(keys[role]),
        ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
      });
      const forbidden = ROLES.indexOf(role) < ROLES.indexOf(least);
      expect([role, code === 'FORBIDDEN' && status === 403]).toEqual([role, forbidden]);
    }
  });

  it('sees the endpoints of nodes from operator on', async () => {
    for (const role of ROLES) {
      const { status, text } = await api.ask('GET', `/topologies/${trigger.topologyId}`, {
        headers: bearer(keys[role]),
      });
      expect([role, status, text.includes('127.0.0.1')]).toEqual([
        role,
        200,
        role === 'operator' || role === 'admin',
      ]);
    }
  });

  it('is declared by every route', async () => {
    for (const [method, path] of await operations()) {
      const { status } = await fetch(api.url + path, {
        method,
        headers: { ...bearer(keys.viewer), 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '[]' }),
        signal: AbortSignal.timeout(10_000),
      });
      expect([method, path, status]).not.toEqual([method, path, 500]);
    }
  });

  it('trigger cancels only its own runs', async () => {
    const hanging = topologyOf({ shop: await httpTarget(scene.targets, silent) });
    await api.ask('POST', '/topologies', { body: hanging, headers: bearer(keys.admin) });
    const { runId } = await start(keys.trigger, { topologyId: hanging.id });
    const cancel = async (key: string) =>
      (await api.ask('POST', '/executions/cancel', { body: { runId }, headers: bearer(key) }))
        .status;
    expect([await cancel(keys.viewer), await cancel(keys.other)]).toEqual([403, 403]);
    expect([await cancel(keys.trigger), await cancel(keys.operator)]).toEqual([200, 200]);
  });

  it('viewer starts no diagnosis through the oracle', async () => {
    const stream = await EventStream.open(`${api.url}/chat/stream?format=executor`, {
      method: 'POST',
      body: {
        message: `Diagnose topology ${trigger.topologyId} now.`,
        topology_id: trigger.topologyId,
      },
      headers: bearer(keys.viewer),
    });
    const { text } = await stream.end();
    expect(stream.status).toBe(200);
    expect(text).toContain('lifecycle.completed');
    expect(text).not.toContain('"tool":"start_diagnosis"');
  });
});

describe('M1, H10: what a principal owns', () => {
  it('has idempotency keys of its own', async () => {
    const headers = { 'idempotency-key': 'same' };
    const first = await start(keys.trigger, {}, headers);
    expect(await start(keys.trigger, {}, headers)).toEqual({ ...first, status: 202 });
    const other = await start(keys.other, { userMessage: 'Another.' }, headers);
    expect(other.status).toBe(202);
    expect(other.runId).not.toBe(first.runId);
  });

  it('has conversations of its own', async () => {
    const stream = await EventStream.open(`${api.url}/chat/stream`, {
      method: 'POST',
      body: { message: 'What is broken right now?', session_id: 'sess_own' },
      headers: bearer(keys.viewer),
    });
    await stream.end();
    const show = async (key: string) =>
      (await api.ask('GET', '/conversations/sess_own', { headers: bearer(key) })).status;
    expect([await show(keys.viewer), await show(keys.admin)]).toEqual([200, 404]);
  });
});

it('refuses a topology with a credential that it cannot encrypt', async () => {
  const put = (endpoint: string) =>
    api.ask('POST', '/topologies', {
      headers: bearer(keys.admin),
      body: topologyOf({ cache: { endpoint, kind: 'redis' } }),
    });
  const refused = await put('redis://:hunter22@127.0.0.1:1');
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('nodes[0].endpoint holds a credential'),
  ]);
  expect(refused.text).not.toContain('hunter22');
  expect((await put('redis://127.0.0.1:1')).status).toBe(201);
});

describe('a browser', () => {
  it('exchanges a key for a session, and ends it', async () => {
    const session = (method: string, headers: Record<string, string>) =>
      fetch(`${api.url}/auth/session`, { method, headers });
    const started = await session('POST', bearer(keys.viewer));
    expect(await started.json()).toMatchObject({ data: { principal: 'viewer', role: 'viewer' } });
    const cookie = started.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^__Host-consilium=[\w-]{43}; Max-Age=28800; Path=\/; .*HttpOnly; Secure; SameSite=Strict/,
    );
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect((await api.ask('GET', '/executions', { headers })).status).toBe(200);
    expect((await api.ask('POST', '/topologies', { headers, body: {} })).status).toBe(403);
    expect((await session('DELETE', headers)).status).toBe(200);
    expect((await api.ask('GET', '/executions', { headers })).status).toBe(401);
  });

  it('opens one stream with a ticket', async () => {
    const { runId } = await start(keys.trigger);
    const asked = { body: { runId }, headers: bearer(keys.viewer) };
    const { data } = await api.ask<{ ticket: string }>('POST', '/stream-tickets', asked);
    const query = `?ticket=${data.ticket}`;
    for (let i = 0; i < 2; i++) {
      const stream = await (await api.follow(runId ?? '', {}, query)).end();
      expect(stream.log).toContain('lifecycle.completed');
    }
    const { runId: another } = await start(keys.trigger);
    expect((await api.follow(another ?? '', {}, query)).status).toBe(401);
    expect((await api.ask('GET', `/executions/${runId}${query}`)).status).toBe(401);
    expect((await api.ask('GET', `/executions${query}`)).status).toBe(401);
  });
});

describe('a revoked key', () => {
  it('stops working, ends its session and its open streams between two frames', async () => {
    const hanging = topologyOf({ shop: await httpTarget(scene.targets, silent) });
    await api.ask('POST', '/topologies', { body: hanging, headers: bearer(keys.admin) });
    const { data } = await api.ask<{ key: string; id: string }>('POST', '/keys', {
      body: { name: 'leaver', role: 'viewer', days: 1 },
      headers: bearer(keys.admin),
    });
    const own = bearer(data.key);
    const started = await fetch(`${api.url}/auth/session`, { method: 'POST', headers: own });
    const cookie = (started.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const { runId } = await start(keys.trigger, { topologyId: hanging.id });
    const stream = await api.follow(runId ?? '', own);
    expect(stream.status).toBe(200);
    const admin = { headers: bearer(keys.admin) };
    expect((await api.ask('DELETE', `/keys/${data.id}`, admin)).status).toBe(200);
    expect((await api.ask('DELETE', `/keys/${data.id}`, admin)).status).toBe(404);
    expect((await api.ask('GET', '/executions', { headers: own })).status).toBe(401);
    expect((await api.ask('GET', '/executions', { headers: { cookie } })).status).toBe(401);
    await stream.end();
    expect(stream.text.endsWith('\n\n')).toBe(true);
    expect(stream.text).not.toContain('lifecycle.completed');
    const list = await api.ask('GET', '/keys', admin);
    expect(list.text).toContain('"revokedAt"');
    expect(list.text).not.toContain('hash');
    await api.ask('POST', '/executions/cancel', { ...admin, body: { runId } });
  });
});
