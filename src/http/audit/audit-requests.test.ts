import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import express, { type Response } from 'express';
import type { AccessAction } from '../../domain/roles.js';
import { makeApiKey } from '../access/api-key.js';
import { setPrincipal } from '../access/principal.js';
import type { AuditRecord } from './audit-entry.js';
import type { AuditLog } from './audit-log.js';
import { AuditRequests, setAuditObject } from './audit-requests.js';

let server: Server;
afterEach(() => void server.close());

async function ask(
  method: string,
  action: AccessAction,
  answer: (response: Response) => void,
  { body = {}, path = '/things/5' }: { body?: object; path?: string } = {},
): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  const log = { record: (record: AuditRecord) => void records.push(record) };
  const audits = new AuditRequests(log as unknown as AuditLog);
  const app = express();
  app.use(express.json(), (request, response) => {
    setPrincipal(request, { tenant: 'acme', name: 'ann', role: 'admin', keyId: 'k1' });
    response.set('X-Request-Id', 'request-1');
    audits.watch(request, response, action);
    answer(response);
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}${path}?secret=1`, {
    method,
    ...(method !== 'GET' && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return records;
}

it('records who changed what, and how it ended, without query and body', async () => {
  const records = await ask('PUT', 'topologies:write', (response) =>
    response.status(403).json({ secret: 1 }),
  );
  expect(records).toEqual([
    {
      at: expect.stringMatching(/Z$/) as unknown,
      tenant: 'acme',
      principal: 'ann',
      keyId: 'k1',
      action: 'topologies:write',
      method: 'PUT',
      path: '/things/5',
      status: 403,
      address: '127.0.0.1',
      requestId: 'request-1',
    },
  ]);
});

it('names the thing that the service names', async () => {
  const named = (response: Response) => {
    setAuditObject(response, 'r1');
    response.sendStatus(202);
  };
  const [record] = await ask('POST', 'runs:start', named, { body: { runId: 'r2' } });
  expect(record?.object).toBe('r1');
});

it('takes no name from a body that the route may not have read', async () => {
  const body = { runId: 'r2', decision: 'deny' };
  const [record] = await ask('DELETE', 'keys:manage', (response) => response.json({}), { body });
  expect(record).not.toHaveProperty('object');
});

it('records no key of the service that stands in a path', async () => {
  const path = `/things/${makeApiKey().key}`;
  const [record] = await ask('DELETE', 'keys:manage', (response) => response.json({}), { path });
  expect(record?.path).toBe('/things/***');
});

it('records a stream when it begins', async () => {
  const records = await ask('POST', 'runs:start', (response) => {
    response.write('a');
    response.end('b');
  });
  expect(records.map(({ status }) => status)).toEqual([200]);
});

it.each([
  ['before it is answered', true],
  ['before its principal is known', false],
])('records once a request whose client hangs up %s', async (_, isWatchedFirst) => {
  const records: AuditRecord[] = [];
  const log = { record: (record: AuditRecord) => void records.push(record) };
  const audits = new AuditRequests(log as unknown as AuditLog);
  const handled = new Promise<void>((resolve, reject) => {
    const app = express().use((request, response) => {
      const watch = () => {
        setPrincipal(request, { tenant: 'acme', name: 'ann', role: 'admin' });
        audits.watch(request, response, 'runs:start');
      };
      if (isWatchedFirst) watch();
      response.once('close', () => {
        if (!isWatchedFirst) watch();
        response.set('X-Run-Id', 'r1').status(202).json({});
        resolve();
      });
      request.socket.destroy();
    });
    server = createServer(app).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      fetch(`http://127.0.0.1:${port}/runs`, { method: 'POST' }).then(reject, () => undefined);
    });
  });
  await handled;
  await nextTurn();
  expect(records).toMatchObject([{ principal: 'ann', path: '/runs', status: 499 }]);
});

it.each<[string, AccessAction, number]>([
  ['GET', 'runs:read', 0],
  ['POST', 'topologies:read', 0],
  ['GET', 'keys:manage', 0],
  ['GET', 'audit:read', 1],
  ['DELETE', 'quarantine:lift', 1],
])('%s %s makes %i records', async (method, action, count) => {
  expect(await ask(method, action, (response) => response.json({}))).toHaveLength(count);
});
