import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import type { Api } from '../../support/api.js';
import { until } from '../../support/until.js';

import { bearer, keyedService, type KeyedService } from '../../support/processes/keyed-service.js';

const service = keyedService();
const { keys } = service;
const start: KeyedService['start'] = (...given) => service.start(...given);
let api: Api;
beforeAll(() => void ({ api } = service));

describe('the audit log', () => {
  const admin = () => ({ headers: bearer(keys.admin) });
  interface Entry {
    principal: string | null;
    action: string;
    method: string;
    path: string;
    object?: string;
    status: number;
    requestId?: string;
  }
  const entries = async (): Promise<Entry[]> =>
    (await api.ask<{ items: Entry[] }>('GET', '/audit?limit=200', admin())).data.items;

  it('has who did what, how it ended, and no secret', async () => {
    const { runId } = await start(keys.trigger);
    for (let i = 0; i < 5; i++)
      await api.ask('POST', '/topologies', { headers: bearer(keys.viewer), body: {} });
    await api.ask('GET', '/topologies?secret=x', { headers: bearer(makeApiKey().key) });
    await api.ask('GET', '/topologies', { headers: bearer(keys.viewer) });
    const { topologyId: id } = service.trigger;
    const { data } = await api.ask('GET', `/topologies/${id}`, admin());
    await api.ask('PUT', `/topologies/${id}`, {
      body: data,
      headers: { ...bearer(keys.admin), 'x-request-id': 'edit-1' },
    });
    await api.ask('POST', '/executions/cancel', { headers: bearer(keys.trigger), body: { runId } });
    const ticket = { headers: bearer(keys.viewer), body: { runId } };
    expect((await api.ask('POST', '/stream-tickets', ticket)).status).toBe(201);
    const made = await api.ask<{ id: string }>('POST', '/keys', {
      ...admin(),
      body: { name: 'ann', role: 'operator', tenant: 'acme' },
    });
    const revoked = { ...admin(), body: { runId: 'another-object' } };
    await api.ask('DELETE', `/keys/${made.data.id}`, revoked);
    const expected: Partial<Entry>[] = [
      {
        action: 'keys:manage',
        method: 'POST',
        status: 201,
        object: `${made.data.id}: operator ann of acme`,
      },
      { principal: 'trigger', action: 'runs:start', status: 202, object: runId ?? '' },
      { principal: 'trigger', action: 'runs:cancel', status: 200, object: runId ?? '' },
      { principal: 'viewer', action: 'self', status: 201, object: runId ?? '' },
      { principal: 'viewer', action: 'topologies:write', status: 403, method: 'POST' },
      {
        principal: 'bootstrap',
        action: 'topologies:write',
        status: 200,
        object: `topology ${id}, version 2`,
        requestId: 'edit-1',
      },
      { principal: null, action: 'login:failed', status: 401, path: '/api/service/v1/topologies' },
    ];
    await until('all are recorded', async () => {
      const found = await entries();
      return expected.every((entry) =>
        found.some((other) =>
          Object.entries(entry).every(([key, value]) => other[key as keyof Entry] === value),
        ),
      );
    });
    const { text } = await api.ask('GET', '/audit/export', admin());
    expect(text).not.toContain('another-object');
    expect(text.trim().split('\n').length).toBeGreaterThan(10);
    expect(text).not.toContain('csk_');
    expect(text).not.toContain('secret=');
    const reads = (await entries()).filter(({ action }) => action === 'topologies:read');
    expect(reads).toEqual([]);
    const check = await api.ask<{ entries: number; brokenAt: null }>(
      'GET',
      '/audit/check',
      admin(),
    );
    expect(check.data.brokenAt).toBeNull();
    expect(check.data.entries).toBeGreaterThan(10);
  });

  it('is read by admins of its tenant only', async () => {
    for (const path of ['/audit', '/audit/check', '/audit/export'])
      expect((await api.ask('GET', path, { headers: bearer(keys.operator) })).status).toBe(403);
    const made = await api.ask<{ key: string }>('POST', '/keys', {
      ...admin(),
      body: { name: 'root', role: 'admin', tenant: 'acme' },
    });
    const acme = { headers: bearer(made.data.key) };
    expect((await api.ask('GET', '/audit?tenant=default', acme)).code).toBe('FORBIDDEN');
    const own = await api.ask<{ items: { tenant: string }[] }>('GET', '/audit', acme);
    expect(own.data.items.every(({ tenant }) => tenant === 'acme')).toBe(true);
    expect((await api.ask('GET', '/audit?tenant=acme', admin())).status).toBe(200);
  });
});
