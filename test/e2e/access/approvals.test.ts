import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import type { EventData } from '../../../src/domain/events/event.js';
import type { Api } from '../../support/api.js';
import { EventStream, expectValid } from '../../support/streams/event-stream.js';
import { processManager, type ProcessManager } from '../../support/programs/process-manager.js';
import { Scene } from '../../support/scene.js';
import { erroring, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

const PEOPLE = [
  ['ann', 'operator'],
  ['bob', 'operator'],
  ['tom', 'trigger'],
  ['eve', 'operator', 'globex'],
] as const;

let scene: Scene;
let api: Api;
let folder: string;
let manager: ProcessManager;
let topologyId: number;
const keys: Record<string, string> = {};
const as = (name: string) => ({ authorization: `Bearer ${keys[name]}` });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-approvals-'));
  const { key } = makeApiKey();
  await writeFile(join(folder, 'key'), key);
  keys['admin'] = key;
  scene = new Scene();
  api = await scene.service({
    AUTH: 'keys',
    AUTH_BOOTSTRAP_KEY_FILE: join(folder, 'key'),
    FOUR_EYES: 'on',
  });
  for (const [name, role, tenant = 'default'] of PEOPLE) {
    const body = { name, role, tenant };
    const made = await api.ask<{ key: string }>('POST', '/keys', { body, headers: as('admin') });
    keys[name] = made.data.key;
  }
  manager = await processManager(scene.targets);
  const { endpoint } = await httpTarget(scene.targets, erroring);
  const body = topologyOf({ shop: { endpoint, attributes: { restartUrl: manager.url } } });
  const stored = await api.ask('POST', '/topologies', { body, headers: as('admin') });
  expect(stored.status).toBe(201);
  topologyId = body.id;
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

/** Starts a run as ann and waits for what it asks. */
async function asking(service = api, headers: Record<string, string> = as('ann')) {
  const body = { topologyId, userMessage: 'The shop fails.', repair: true };
  const run = await EventStream.open(service.at('/executions/trigger'), {
    method: 'POST',
    body,
    headers,
  });
  await run.has('event: system.approval');
  const [, json = ''] = /\nevent: system\.approval\nid: \d+\ndata: (.*)\n/.exec(run.log) ?? [];
  const { data } = JSON.parse(json) as { data: EventData['system.approval'] };
  const decide = (name: string, more: object = {}) =>
    service.ask('POST', `/executions/${run.runId}/approvals/${data.approval_id}`, {
      body: { decision: 'approve', args_digest: data.args_digest, ...more },
      headers: as(name),
    });
  return { run, approval: data, decide };
}

const repairsOf = async (run: EventStream) =>
  (expectValid((await run.end()).text).at(-1)?.data as unknown as EventData['lifecycle.completed'])
    .report?.repairs;

it('lets another operator of the tenant decide, once, and records who did', async () => {
  const before = manager.restarts;
  const { run, approval, decide } = await asking();
  expect(approval).toMatchObject({ tool: 'restart_process', node: 'shop' });
  const refused = await Promise.all(['tom', 'ann', 'eve'].map((name) => decide(name)));
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 404]);
  const other = await decide('bob', { args_digest: '0'.repeat(64) });
  expect([other.status, other.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(manager.restarts).toBe(before);
  for (const key of ['args', 'editedArgs', 'runId']) {
    const edited = await decide('bob', { [key]: { node: 'other' } });
    expect([edited.status, edited.message]).toEqual([
      400,
      expect.stringContaining('which cannot be edited'),
    ]);
  }
  expect(manager.restarts).toBe(before);
  const approved = await decide('bob');
  expect([approved.status, approved.data]).toEqual([
    200,
    { approvalId: 't2', decision: 'approve', by: 'bob', sequence: expect.any(Number) },
  ]);
  expect(await repairsOf(run)).toMatchObject([
    { node: 'shop', tool: 'restart_process', outcome: 'done', decided_by: 'bob' },
  ]);
  expect(manager.restarts).toBe(before + 1);
  expect((await decide('bob')).data).toEqual(approved.data);
  const audit = await api.ask<{ items: object[] }>('GET', '/audit', { headers: as('admin') });
  expect(audit.data.items).toContainEqual(
    expect.objectContaining({
      action: 'approvals:decide',
      principal: 'bob',
      object: 'approve t2',
      status: 200,
      path: expect.stringContaining(run.runId) as unknown,
    }),
  );
});

it('reports a change that was refused, and why', async () => {
  const before = manager.restarts;
  const { run, decide } = await asking();
  expect((await decide('bob', { decision: 'deny', reason: 'at night only' })).status).toBe(200);
  expect(await repairsOf(run)).toMatchObject([
    { outcome: 'refused', text: 'bob refused it: at night only', decided_by: 'bob' },
  ]);
  expect(manager.restarts).toBe(before);
});

it('reports a change that was not approved in time', async () => {
  const quick = await scene.service({
    APPROVAL_SECONDS: '1',
    REDIS_PREFIX: `${scene.redis.prefix}q`,
  });
  const own = topologyOf({
    shop: {
      endpoint: (await httpTarget(scene.targets, erroring)).endpoint,
      attributes: { restartUrl: manager.url },
    },
  });
  await quick.store(own);
  const body = { topologyId: own.id, userMessage: 'The shop fails.', repair: true };
  const before = manager.restarts;
  const run = await EventStream.open(quick.at('/executions/trigger'), { method: 'POST', body });
  expect(await repairsOf(run)).toMatchObject([{ outcome: 'expired', decided_by: null }]);
  expect(run.log).toContain('"decision":"expired"');
  expect(manager.restarts).toBe(before);
});

it('reports a change of a run that is cancelled while it waits', async () => {
  const before = manager.restarts;
  const { run, approval } = await asking();
  const list = (name: string) =>
    api.ask('GET', `/executions/${run.runId}/approvals`, { headers: as(name) });
  const { approval_id: approvalId, args_digest: argsDigest } = approval;
  expect((await list('tom')).data).toMatchObject({
    items: [{ approvalId, argsDigest, state: 'open', by: null, node: 'shop' }],
  });
  expect((await list('eve')).status).toBe(404);
  const body = { runId: run.runId };
  expect((await api.ask('POST', '/executions/cancel', { body, headers: as('ann') })).status).toBe(
    200,
  );
  expect(await repairsOf(run)).toMatchObject([
    { node: approval.node, outcome: 'expired', decided_by: null },
  ]);
  expect((await list('tom')).data).toMatchObject({ items: [{ approvalId, state: 'expired' }] });
  expect(manager.restarts).toBe(before);
});

it('asks for nothing in a run that may not repair', async () => {
  const body = { topologyId, userMessage: 'The shop fails.' };
  const run = await EventStream.open(api.at('/executions/trigger'), {
    method: 'POST',
    body,
    headers: as('ann'),
  });
  expect(await repairsOf(run)).toBeUndefined();
  expect(run.log).not.toContain('system.approval');
});
