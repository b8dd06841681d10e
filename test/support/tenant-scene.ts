import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { ROLES, type Role } from '../../src/domain/roles.js';
import { makeApiKey } from '../../src/http/access/api-key.js';
import type { Answer, Api, Question } from './api.js';
import { EventStream } from './streams/event-stream.js';
import { Scene } from './scene.js';
import { healthy, httpTarget } from './processes/target.js';
import { topologyOf } from './incidents/topology.js';

export const TENANTS = ['default', 'acme', 'globex'] as const;
export type Tenant = (typeof TENANTS)[number];

export interface Principal {
  tenant: Tenant;
  role: Role;
  headers: { authorization: string };
}

/** A run, and who may see it: a diagnosis its tenant, a chat its principal. */
export interface Run {
  runId: string;
  tenant: Tenant;
  topologyId: number;
  chatOf?: Principal;
}

/** The id of a topology that each tenant has. */
export const SHARED_ID = 4_242;

export const sees = (principal: Principal, { tenant, chatOf }: Run): boolean =>
  chatOf === undefined ? principal.tenant === tenant : chatOf === principal;

/**
 * A service with three tenants, each with a principal of every role, two topologies, diagnoses and
 * chats, for the tests of a file.
 */
export function tenantScene() {
  let scene: Scene;
  let api: Api;
  let folder: string;
  const principals: Principal[] = [];
  const runs: Run[] = [];
  /** The topologies of each tenant; all have {@link SHARED_ID}. */
  const topologies = { default: [SHARED_ID], acme: [SHARED_ID], globex: [SHARED_ID] };

  const of = (tenant: Tenant, role: Role): Principal =>
    principals.find((each) => each.tenant === tenant && each.role === role) as Principal;

  const ask = <Data = unknown>(
    { headers }: Principal,
    method: string,
    path: string,
    question: Question = {},
  ): Promise<Answer<Data>> =>
    api.ask<Data>(method, path, { ...question, headers: { ...headers, ...question.headers } });

  async function addTopology(tenant: Tenant, id?: number): Promise<number> {
    const drawn = topologyOf({ shop: await httpTarget(scene.targets, healthy) });
    const body = { ...drawn, id: id ?? drawn.id, name: `Shop of ${tenant}` };
    expect((await ask(of(tenant, 'admin'), 'POST', '/topologies', { body })).status).toBe(201);
    return body.id;
  }

  async function start(principal: Principal, topologyId: number): Promise<string> {
    const body = { topologyId, userMessage: `A secret of ${principal.tenant}.` };
    const question = { body, headers: { 'idempotency-key': `one-${topologyId}` } };
    const path = '/executions/trigger';
    const { status, data } = await ask<{ runId: string }>(principal, 'POST', path, question);
    expect(status).toBe(202);
    return data.runId;
  }

  const chat = async (principal: Principal, body: object): Promise<EventStream> =>
    (
      await EventStream.open(`${api.url}/chat/stream?format=executor`, {
        method: 'POST',
        body: { message: 'What is broken?', ...body },
        headers: principal.headers,
      })
    ).end();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'consilium-tenants-'));
    const { key } = makeApiKey();
    await writeFile(join(folder, 'key'), key);
    scene = new Scene();
    api = await scene.service({
      AUTH: 'keys',
      AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key'),
      REQUESTS_PER_MINUTE: '0',
      CHATS_PER_MINUTE: '0',
      // Targets are on loopback, which tenants reach only if it is named.
      EGRESS_ALLOW: '127.0.0.0/8',
    });
    for (const tenant of TENANTS)
      for (const role of ROLES) {
        const made = await api.ask<{ key: string }>('POST', '/keys', {
          body: { name: `the-${role}`, role, tenant },
          headers: { authorization: `Bearer ${key}` },
        });
        expect(made.status).toBe(201);
        principals.push({ tenant, role, headers: { authorization: `Bearer ${made.data.key}` } });
      }
    for (const tenant of TENANTS) {
      await addTopology(tenant, SHARED_ID);
      topologies[tenant].push(await addTopology(tenant));
      for (const topologyId of topologies[tenant])
        runs.push({ tenant, topologyId, runId: await start(of(tenant, 'trigger'), topologyId) });
      for (const role of ['viewer', 'operator'] as const) {
        const asker = of(tenant, role);
        const stream = await chat(asker, { session_id: `talk-${role}`, topology_id: SHARED_ID });
        runs.push({ tenant, topologyId: SHARED_ID, runId: stream.runId, chatOf: asker });
      }
    }
    for (const { runId, tenant } of runs)
      await (await api.follow(runId, of(tenant, 'viewer').headers)).end();
  });
  afterAll(async () => {
    await scene.close();
    await rm(folder, { recursive: true });
  });

  return { principals, runs, topologies, of, ask, chat, scene: () => scene, api: () => api };
}
