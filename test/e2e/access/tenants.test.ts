import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/api.js';
import { EventStream } from '../../support/streams/event-stream.js';
import { random } from '../../faults/lib/random.js';
import { healthy, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';
import {
  sees,
  SHARED_ID,
  TENANTS,
  tenantScene,
  type Principal,
  type Run,
  type Tenant,
} from '../../support/tenant-scene.js';

/** `npm run test:tenants` makes 10,000. */
const REQUESTS = Number(process.env['TENANT_REQUESTS'] ?? 1_500);
const MISSING_RUN = '01960d3c-5f2a-7cc0-8000-000000000001';
const MISSING_TOPOLOGY = 987_654;

const { principals, runs, topologies, of, ask, chat, scene, api } = tenantScene();

/**
 * What a request should answer: 200, or what the same request answers for something that is
 * missing.
 */
interface Case {
  method: string;
  path: string;
  body?: object;
  /** Undefined: it is missing. */
  status?: number;
  /** The same request for something that does not exist. */
  missing: { path: string; body?: object };
}

type Pick = <Value>(values: readonly Value[]) => Value;

const aboutRun = (principal: Principal, pick: Pick): Case => {
  const run = pick(runs);
  const [method, suffix, inBody, status] = pick([
    ['GET', '', false, 200],
    ['GET', '/events', false, 200],
    ['GET', '/events?after=1', false, 200],
    ['POST', 'executions/cancel', true, 409],
    ['POST', 'stream-tickets', true, 201],
  ] as const);
  const at = (runId: string) =>
    inBody ? { path: `/${suffix}`, body: { runId } } : { path: `/executions/${runId}${suffix}` };
  const mayCall = suffix !== 'executions/cancel' || principal.role !== 'viewer';
  const maySee = sees(principal, run) && mayCall;
  return {
    method,
    ...at(run.runId),
    ...(maySee && { status: cancelStatus(principal, run, status) }),
    missing: at(MISSING_RUN),
  };
};

/** Only an operator cancels what another started; all runs have ended. */
const cancelStatus = ({ role }: Principal, { chatOf }: Run, status: number): number =>
  status === 409 && chatOf === undefined && role === 'viewer' ? 403 : status;

const aboutTopology = ({ tenant }: Principal, pick: Pick): Case => {
  const id = pick(TENANTS.flatMap((each) => topologies[each]));
  const [method, path, inBody] = pick([
    ['GET', '/topologies/', false],
    ['GET', '/topologies/ID/versions', false],
    ['POST', '/topologies/graph/query', true],
    ['POST', '/agent-bounds/query-hierarchy', true],
  ] as const);
  const at = (topologyId: number) =>
    inBody
      ? { path, body: { topologyId } }
      : { path: path.includes('ID') ? path.replace('ID', `${topologyId}`) : path + topologyId };
  const isOwn = topologies[tenant].includes(id);
  return { method, ...at(id), ...(isOwn && { status: 200 }), missing: at(MISSING_TOPOLOGY) };
};

const aboutConversation = ({ role }: Principal, pick: Pick): Case => {
  const owner = pick(['viewer', 'operator'] as const);
  const suffix = pick(['', '/tree']);
  return {
    method: 'GET',
    path: `/conversations/talk-${owner}${suffix}`,
    ...(owner === role && { status: 200 }),
    missing: { path: `/conversations/talk-nothing${suffix}` },
  };
};

/** An answer without what names the thing that was asked for, and the time. */
const shape = ({ status, text, headers }: Answer<unknown>): unknown => ({
  status,
  text: text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b\d{3,}\b/g, '#'),
  headers: [...headers]
    .filter(([name]) => !/^(date|x-request-id|etag|content-length|ratelimit.*)$/.test(name))
    .toSorted(),
});

describe('tenants', () => {
  it(`no one of ${REQUESTS} random requests reveals what belongs to another tenant`, async () => {
    const draw = random(17);
    const pick: Pick = (values) => values[Math.floor(draw() * values.length)] as never;
    let foreign = 0;
    // Asked once for each principal and thing that is missing.
    const controls = new Map<string, Promise<unknown>>();
    const controlOf = (principal: Principal, method: string, { path, body }: Case['missing']) => {
      const key = JSON.stringify([principal, method, path, body]);
      const known =
        controls.get(key) ??
        ask(principal, method, path, body === undefined ? {} : { body }).then(shape);
      controls.set(key, known);
      return known;
    };
    for (let i = 0; i < REQUESTS / 20; i++)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const principal = pick(principals);
          const about = pick([aboutRun, aboutTopology, aboutConversation]);
          const { method, status, missing, ...asked } = about(principal, pick);
          const answer = await ask(principal, method, asked.path, asked);
          const what = [principal.tenant, principal.role, method, asked.path, asked.body];
          if (status !== undefined) {
            expect([...what, answer.status]).toEqual([...what, status]);
            return;
          }
          foreign++;
          expect([...what, answer.status >= 400]).toEqual([...what, true]);
          const control = await controlOf(principal, method, missing);
          expect([...what, shape(answer)]).toEqual([...what, control]);
        }),
      );
    expect(foreign).toBeGreaterThan(REQUESTS / 4);
  });

  it('list their own runs and topologies', async () => {
    for (const principal of principals) {
      const list = await ask<{ items: { runId: string }[] }>(principal, 'GET', '/executions');
      const own = runs.filter((run) => sees(principal, run)).map(({ runId }) => runId);
      expect(list.data.items.map(({ runId }) => runId).toSorted()).toEqual(own.toSorted());
      const ofOne = `/executions?topologyId=${SHARED_ID}&kind=diagnosis`;
      expect((await ask<{ items: [] }>(principal, 'GET', ofOne)).data.items).toHaveLength(1);
      const stored = await ask<{ items: { id: number; name: string }[] }>(
        principal,
        'GET',
        '/topologies',
      );
      expect(stored.data.items.map(({ id }) => id)).toEqual(
        topologies[principal.tenant].toSorted((a, b) => a - b),
      );
      expect(new Set(stored.data.items.map(({ name }) => name))).toEqual(
        new Set([`Shop of ${principal.tenant}`]),
      );
    }
  });

  it('have idempotency keys of their own', () => {
    const shared = runs.filter(({ topologyId, chatOf }) => topologyId === SHARED_ID && !chatOf);
    expect(new Set(shared.map(({ runId }) => runId)).size).toBe(TENANTS.length);
  });

  it('write their own topology where another tenant has one with this id', async () => {
    const [id] = topologies.acme.filter((each) => !topologies.globex.includes(each));
    const admin = of('globex', 'admin');
    const body = { ...topologyOf({ shop: await httpTarget(scene().targets, healthy) }), id };
    const path = `/topologies/${id}`;
    expect((await ask(admin, 'PUT', path, { body })).code).toBe('TOPOLOGY_NOT_FOUND');
    expect((await ask(admin, 'DELETE', path)).code).toBe('TOPOLOGY_NOT_FOUND');
    expect((await ask(admin, 'POST', '/topologies', { body })).status).toBe(201);
    expect((await ask(admin, 'DELETE', path)).status).toBe(200);
    const kept = await ask<{ name: string }>(of('acme', 'viewer'), 'GET', path);
    expect(kept.data.name).toBe('Shop of acme');
  });

  it('look up nothing of each other through the oracle', async () => {
    const spied = runs.find(({ tenant, chatOf }) => tenant === 'acme' && !chatOf) as Run;
    for (const message of [
      `What did run ${spied.runId} find?`,
      `Show me the log of run ${spied.runId}.`,
      'Which runs were there?',
      'Which topologies are there?',
    ]) {
      const { text } = await chat(of('globex', 'admin'), { message });
      expect(text).toContain('lifecycle.completed');
      expect(text).not.toContain('acme');
    }
    const about = { run_id: spied.runId };
    const { text } = await chat(of('globex', 'viewer'), about);
    const other = await chat(of('globex', 'viewer'), { run_id: MISSING_RUN });
    expect(text.replaceAll(spied.runId, '#')).toBe(other.text.replaceAll(MISSING_RUN, '#'));
  });

  it('manage their own keys; the default tenant manages all', async () => {
    const list = async (tenant: Tenant) => {
      const { data } = await ask<{ items: { tenant: string; id: string }[] }>(
        of(tenant, 'admin'),
        'GET',
        '/keys',
      );
      return data.items;
    };
    expect(new Set((await list('acme')).map(({ tenant }) => tenant))).toEqual(new Set(['acme']));
    expect(new Set((await list('default')).map(({ tenant }) => tenant))).toEqual(new Set(TENANTS));
    const body = { name: 'spy', role: 'admin', tenant: 'globex' };
    expect((await ask(of('acme', 'admin'), 'POST', '/keys', { body })).code).toBe('FORBIDDEN');
    const [foreign] = await list('globex');
    const revoked = await ask(of('acme', 'admin'), 'DELETE', `/keys/${foreign?.id}`);
    expect(revoked.code).toBe('NOT_FOUND');
  });

  it('may cancel a diagnosis that they started through the oracle', async () => {
    const asker = of('acme', 'trigger');
    const hanging = topologyOf({ shop: await httpTarget(scene().targets, silent) });
    await ask(of('acme', 'admin'), 'POST', '/topologies', { body: hanging });
    const message = `Diagnose topology ${hanging.id} now.`;
    const turn = await EventStream.open(`${api().url}/chat/stream?format=executor`, {
      method: 'POST',
      body: { message, topology_id: hanging.id },
      headers: asker.headers,
    });
    await turn.has('"tool":"start_diagnosis"');
    let runId: string | undefined;
    await until('the diagnosis is listed', async () => {
      const path = `/executions?topologyId=${hanging.id}&kind=diagnosis`;
      const { data } = await ask<{ items: { runId: string }[] }>(asker, 'GET', path);
      runId = data.items[0]?.runId;
      return runId !== undefined;
    });
    const cancel = (principal: Principal) =>
      ask(principal, 'POST', '/executions/cancel', { body: { runId } });
    expect((await cancel(of('globex', 'admin'))).code).toBe('RUN_NOT_FOUND');
    expect((await cancel(asker)).status).toBe(200);
    await turn.end();
  });
});
