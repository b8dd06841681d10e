import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { textOf } from '../../src/domain/json.js';
import type { Api } from '../support/api.js';
import { expectValid, type CheckedEvent } from '../support/event-stream.js';
import { answer, begin, inTurn, pause, refuse, startProviderServer, type ProviderServer, type Reply } from '../support/provider-server.js';
import { runbookReply } from '../support/runbook-provider.js';
import { roleOf } from '../support/scripted-agents.js';
import { Scene } from '../support/scene.js';
import { erroring, healthy, httpTarget } from '../support/target.js';
import { teamOfEach, topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';

let scene: Scene;
let server: ProviderServer;
let folder: string;
beforeEach(async () => {
  scene = new Scene();
  server = await startProviderServer();
  server.otherwise = runbookReply;
  folder = mkdtempSync(join(tmpdir(), 'models-'));
});
afterEach(async () => {
  await scene.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The service with one model, `m`, or several. */
function service(more = '', others = '', env: Record<string, string> = {}) {
  const path = join(folder, 'models.yaml');
  const address = `provider: openai-compatible\n    baseUrl: ${server.url}`;
  writeFileSync(path, `models:\n  - name: m\n    model: m\n    ${address}\n${more}${others.replaceAll('ADDRESS', address)}`);
  return scene.service({ MODELS_FILE: path, MODEL: 'm', ...env });
}
const codes = (events: CheckedEvent[], key: string) => events.filter((event) => event.key === key).map(({ data }) => data['code']);
const target = () => httpTarget(scene.targets, healthy);

/** Jobs in a state, of one queue or of all. */
async function jobs({ url }: Api, state: string, queue = '[^"]+'): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(new RegExp(`^\\w+\\{[^}]*queue="${queue}",state="${state}"\\} (\\d+)`, 'gm'));
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('thirteen agents share a provider that takes two calls at a time and turns a third of them away', async () => {
  const api = await service('    concurrency: 2\n    prices: {input: 1, output: 2}\n', '', { WORKER_CONCURRENCY: '2' });
  // Once it says for how long, when several are under way.
  const busy = (number: number) => refuse(429, { headers: number === 9 ? { 'retry-after': '4' } : {} });
  server.otherwise = (exchange) => inTurn(pause(10), exchange.number % 3 === 0 ? busy(exchange.number) : runbookReply)(exchange);
  const nodes = Object.fromEntries(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(async (id) => [id, await target()] as const)));
  const run = await api.trigger(await api.store(teamOfEach(nodes)));
  await until('all who are told to wait', async () => server.exchanges.length >= 9 && (await jobs(api, 'delayed')) > 1);
  await until('no slot is held', async () => (await jobs(api, 'active')) === 0 && (await jobs(api, 'delayed')) > 1);
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)?.data).toMatchObject({ partial: false, report: { verdict: 'healthy', unchecked: [] } });
  expect(server.mostOpen).toBe(2);
  const limited = events.filter(({ key, data }) => key === 'system.warning' && data['code'] === 'RATE_LIMITED');
  // The others only keep to what one was told.
  const warnings = limited.filter(({ data }) => textOf(data, 'message').includes('(429)'));
  expect(warnings.length).toBe(server.exchanges.filter(({ number }) => number % 3 === 0).length);
  expect(warnings[0]?.data).toMatchObject({ retryable: true, attempt: 1, retry_in_ms: expect.any(Number) });
  expect(codes(events, 'system.error')).toEqual([]);
  expect(codes(events, 'system.warning')).not.toContain('AGENT_RESUMED');
  expect(events.find(({ key }) => key === 'llm.usage')?.data['cost']).toBe(0.00002);
  const turns = events.filter(({ key }) => key === 'llm.usage').length;
  expect((events.at(-1)?.data['usage'] as { cost: number }).cost).toBeCloseTo(turns * 0.00002, 8);
}, 60_000);

test('a supervisor does not wait for the workers that have been waiting before it', async () => {
  const api = await service('    concurrency: 1\n', '', { WORKER_CONCURRENCY: '12' });
  const order: string[] = [];
  server.otherwise = async (exchange) => {
    const role = roleOf(exchange);
    const body = JSON.stringify(exchange.body);
    const [, node = ''] = /"node\\":\{\\"id\\":\\"(\w+)/.exec(body) ?? [];
    const turn = body.split('"role":"tool"').length;
    order.push(
      role === 'worker'
        ? node === 'a'
          ? 'a'
          : 'worker'
        : role === 'team_supervisor' && body.includes('"team\\":\\"A')
          ? `lead ${turn}`
          : role,
    );
    await sleep(120);
    if (role !== 'worker') return runbookReply(exchange);
    const probe = { call: 'http_probe', args: JSON.stringify({ node }) };
    return answer(node === 'a' || turn > 2 ? { call: 'report', args: '{"summary":"Looked at."}' } : probe)(exchange);
  };
  const ids = Array.from({ length: 10 }, (_, i) => `b${i}`);
  const nodes = Object.fromEntries(await Promise.all(['a', ...ids].map(async (id) => [id, await target()] as const)));
  let agentId = 1;
  const worker = (node: string) => ({ agentId: String(++agentId), name: `W ${node}`, node, tools: ['http_probe'] });
  const team = (name: string, of: string[]) => ({
    name,
    nodes: of,
    supervisor: { agentId: String(++agentId), name },
    workers: of.map(worker),
  });
  const more = { globalSupervisor: { agentId: '1', name: 'Head' }, teams: [team('B', ids), team('A', ['a'])] };
  expectValid((await (await api.trigger(await api.store(topologyOf(nodes, more)))).end()).text);
  // From the call of the one worker of A to the conclusion of its lead, with ten others in line all the time.
  const [from, to] = [order.indexOf('a'), order.indexOf('lead 2')];
  expect([from, to].every((at) => at > 0)).toBe(true);
  expect(order.slice(from + 1, to).filter((who) => who === 'worker').length).toBeLessThanOrEqual(5);
  expect(order.slice(to + 1).filter((who) => who === 'worker').length).toBeGreaterThan(10);
}, 60_000);

test('who waits for the provider holds no slot, and goes on when it may', async () => {
  const api = await service();
  server.script(refuse(429, { headers: { 'retry-after': '3' } }));
  const run = await api.trigger(await api.store(topologyOf({ shop: await target() })));
  await until('the job is parked', async () => (await jobs(api, 'delayed', 'global-supervisor')) === 1);
  expect(await jobs(api, 'active')).toBe(0);
  const events = expectValid((await run.end()).text);
  const at = events.findIndex(({ data }) => data['code'] === 'RATE_LIMITED');
  expect(events[at]?.data).toMatchObject({ attempt: 1, retry_in_ms: 3_000, message: expect.stringContaining('Trying again in 3 s.') });
  const next = events.slice(at + 1).find(({ key }) => key === 'llm.reasoning' || key === 'llm.stream');
  expect(next?.data['attempt']).toBe(2);
  expect(events.at(-1)?.data).toMatchObject({ partial: false });
});

test('a run that waits for the provider can be cancelled', async () => {
  const api = await service();
  server.script(refuse(529, { headers: { 'retry-after': '60' } }));
  const run = await api.trigger(await api.store(topologyOf({ shop: await target() })));
  await until('the call', () => server.exchanges.length === 1);
  await sleep(300);
  const started = performance.now();
  await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)?.key).toBe('lifecycle.cancelled');
  expect(performance.now() - started).toBeLessThan(1_000);
  await sleep(200);
  expect(server.exchanges).toHaveLength(1);
});

test('a cancel closes the socket of the provider', async () => {
  const api = await service();
  server.script(begin({ text: 'All is' }));
  const run = await api.trigger(await api.store(topologyOf({ shop: await target() })));
  await until('the call', () => server.open === 1);
  await sleep(150);
  const started = performance.now();
  await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  expect(((await server.exchanges[0]?.closed) as number) - started).toBeLessThan(250);
  await run.end();
});

test('partial text is never taken for an answer', async () => {
  const api = await service();
  const cut: Reply = inTurn(begin({ text: 'Nothing is wrong at all.' }), ({ response }) => void response.end());
  server.script(cut, cut);
  const events = expectValid((await (await api.trigger(await api.store(topologyOf({ shop: await target() })))).end()).text);
  expect(codes(events, 'system.warning').slice(0, 2)).toEqual(['AI_ERROR', 'AI_ERROR']);
  expect(
    events
      .filter(({ key, data }) => key === 'llm.stream' && data['turn'] === 1 && data['dispatch_id'] === null)
      .map(({ data }) => data['attempt']),
  ).toEqual(expect.arrayContaining([1, 2]));
  expect(events.filter(({ key, data }) => key === 'llm.usage' && data['turn'] === 1 && data['dispatch_id'] === null)).toHaveLength(1);
});

test('attempts that are used up are an error, and the run goes on with what there is', async () => {
  const api = await service();
  server.otherwise = refuse(401);
  const events = expectValid((await (await api.trigger(await api.store(topologyOf({ shop: await target() })))).end()).text);
  const error = events.find(({ key }) => key === 'system.error')?.data;
  expect(error).toMatchObject({
    code: 'AI_ERROR',
    retryable: false,
    attempt: 1,
    message: expect.stringContaining('apiKeyEnv of m in MODELS_FILE'),
  });
  expect(events.at(-1)?.data).toMatchObject({ partial: true });
});

test('models that fail at a worker and at the top keep nobody from the conclusion that the rules allow', async () => {
  const api = await service();
  let atTop = 0;
  server.otherwise = (exchange) => {
    const role = roleOf(exchange);
    if (role === 'global_supervisor' && ++atTop > 1) return refuse(404)(exchange);
    if (role === 'worker' && /"node\\":\{\\"id\\":\\"cache/.test(JSON.stringify(exchange.body))) return refuse(401)(exchange);
    return runbookReply(exchange);
  };
  const nodes = { web: await httpTarget(scene.targets, erroring), cache: await target() };
  const events = expectValid((await (await api.trigger(await api.store(topologyOf(nodes)))).end()).text);
  const reports = events.filter(({ key }) => key === 'dispatch.report');
  const reportOf = (name: string) => reports.find(({ source }) => source.agent_name === name)?.data;
  expect(reportOf('The cache worker')).toMatchObject({ status: 'failed', reasons: ['AI_ERROR'], findings: [] });
  expect(reportOf('The web worker')).toMatchObject({ status: 'ok', findings: [{ node: 'web' }] });
  const teams = reports.filter(({ source }) => source.agent_type === 'team_supervisor').map(({ data }) => data);
  expect(teams).toContainEqual(expect.objectContaining({ status: 'partial', reasons: expect.arrayContaining(['AI_ERROR']) }));
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: {
      partial: true,
      reasons: expect.arrayContaining(['AI_ERROR']),
      report: { verdict: 'root_cause_found', root_causes: [{ node: 'web' }], unchecked: [{ node: 'cache' }] },
    },
  });
});

test('the fallback takes over', async () => {
  const api = await service('    fallback: [small]\n', '  - name: small\n    model: small\n    ADDRESS\n');
  server.otherwise = (exchange) => (exchange.body.model === 'm' ? refuse(404) : runbookReply)(exchange);
  const events = expectValid((await (await api.trigger(await api.store(topologyOf({ shop: await target() })))).end()).text);
  expect(events.at(-1)?.data).toMatchObject({ partial: false });
  expect(new Set(events.filter(({ key }) => key === 'llm.usage').map(({ data }) => data['model']))).toEqual(new Set(['small']));
});
