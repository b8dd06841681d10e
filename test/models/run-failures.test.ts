import { expect, test } from '@jest/globals';
import { textOf } from '../../src/lib/json.js';
import type { Api } from '../support/api.js';
import { expectValid, type CheckedEvent } from '../support/streams/event-stream.js';
import { answer, begin, inTurn, refuse, type Reply } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { modelScene } from '../support/models/model-scene.js';
import { erroring, healthy, httpTarget } from '../support/processes/target.js';
import { teamOfEach, topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';

const scene = modelScene(runbookReply);
/** Starts the service with the model `m`, which has these settings, and other models. */
const service = (m: object = {}, others: Record<string, object> = {}) =>
  scene.service(scene.models({ m, ...others }));
/** Starts a diagnosis of a healthy shop. */
const start = async (api: Api) => api.trigger(await api.store(await scene.shop()));
const diagnose = async (api: Api) => scene.diagnose(api, await scene.shop());
const codes = (events: CheckedEvent[], key: string) =>
  events.filter((event) => event.key === key).map(({ data }) => data['code']);
const target = () => httpTarget(scene.targets, healthy);

/** Counts the jobs in a state, of one queue or of all. */
async function jobs({ url }: Api, state: string, queue = '[^"]+'): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(
    new RegExp(`^\\w+\\{[^}]*queue="${queue}",state="${state}"\\} (\\d+)`, 'gm'),
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];
/**
 * The worker of the first node ends early, that of the last node late, so that their supervisors
 * call the model one by one.
 */
const staggered: Reply = (exchange) => {
  const [, node = ''] = /"node\\":\{\\"id\\":\\"(\w+)/.exec(JSON.stringify(exchange.body)) ?? [];
  const done = (exchange.body['messages'] as { role: string }[]).filter(
    ({ role }) => role === 'tool',
  ).length;
  if (roleOf(exchange) !== 'worker' || done >= SIX.indexOf(node)) return runbookReply(exchange);
  return answer({ call: 'http_probe', args: JSON.stringify({ node, tries: done + 1 }) })(exchange);
};

/** Returns the callers in the queue of the model, in order. Ids of workers contain a `_`. */
async function inLine(): Promise<{ id: string; isWorker: boolean }[]> {
  const { redis, prefix } = scene.scene.redis;
  const line = await redis.zrange(`${prefix}:{model:m}:queue`, 0, '-1');
  return line.map((id) => ({ id, isWorker: id.includes('_') }));
}

test('thirteen agents share a provider that takes two calls and refuses a third of them: supervisors first, no wait in a slot', async () => {
  const api = await service({ concurrency: 2, prices: { input: 1, output: 2 } });
  const asked: string[] = [];
  const held: (() => void)[] = [];
  scene.server.otherwise = async (exchange) => {
    asked.push(roleOf(exchange));
    // One refusal has a Retry-After.
    if (exchange.number % 3 === 0)
      return refuse(429, { headers: exchange.number === 9 ? { 'retry-after': '2' } : {} })(
        exchange,
      );
    await new Promise<void>((resolve) => held.push(resolve));
    return staggered(exchange);
  };
  const nodes = Object.fromEntries(
    await Promise.all(SIX.map(async (id) => [id, await target()] as const)),
  );
  const run = await api.trigger(await api.store(teamOfEach(nodes)));
  let ended = false;
  const end = run.end().finally(() => (ended = true));
  /**
   * Whether all agents with a slot have a pending call at the provider, and all others are queued
   * or wait for a report.
   */
  const isStill = async () =>
    held.length > 0 &&
    scene.server.open === held.length &&
    (await jobs(api, 'active')) === held.length &&
    (await jobs(api, 'waiting')) === 0 &&
    (await jobs(api, 'delayed')) === (await inLine()).length;
  let contests = 0;
  let overtaken = 0;
  /** Those in line at the look before. */
  let known: string[] = [];
  for (;;) {
    await until('no agent waits in a slot', async () => ended || (await isStill()));
    if (ended) break;
    const line = await inLine();
    const [first] = line;
    const waited = known;
    known = line.map(({ id }) => id);
    const before = asked.length;
    const full = held.length === 2;
    held.shift()?.();
    if (!full || !first || first.isWorker) continue;
    const workers = line.filter(({ isWorker }) => isWorker);
    if (workers.length > 0) contests++;
    if (!waited.includes(first.id))
      overtaken += workers.filter(({ id }) => waited.includes(id)).length;
    await until('the next call', () => asked.length > before);
    expect(asked[before]).not.toBe('worker');
  }
  // The test has seen the expected state.
  expect(contests).toBeGreaterThan(1);
  expect(overtaken).toBeGreaterThan(1);
  expect(scene.server.mostOpen).toBe(2);

  const events = expectValid((await end).text);
  expect(events.at(-1)?.data).toMatchObject({
    partial: false,
    report: { verdict: 'healthy', unchecked: [] },
  });
  const limited = events.filter(
    ({ key, data }) => key === 'system.warning' && data['code'] === 'RATE_LIMITED',
  );
  // The other agents wait for the pause that one agent received.
  const warnings = limited.filter(({ data }) => textOf(data, 'message').includes('(429)'));
  expect(warnings.length).toBe(Math.floor(scene.server.exchanges.length / 3));
  expect(warnings[0]?.data).toMatchObject({
    retryable: true,
    attempt: 1,
    retry_in_ms: expect.any(Number),
  });
  expect(codes(events, 'system.error')).toEqual([]);
  expect(codes(events, 'system.warning')).not.toContain('AGENT_RESUMED');
  expect(events.find(({ key }) => key === 'llm.usage')?.data['cost']).toBe(0.00002);
  const turns = events.filter(({ key }) => key === 'llm.usage').length;
  expect((events.at(-1)?.data['usage'] as { cost: number }).cost).toBeCloseTo(turns * 0.00002, 8);
});

test('an agent that waits for the provider holds no slot, and its run can be cancelled', async () => {
  const api = await service();
  scene.server.script(refuse(529, { headers: { 'retry-after': '60' } }));
  const run = await start(api);
  await until(
    'the job is parked',
    async () => (await jobs(api, 'delayed', 'global-supervisor')) === 1,
  );
  expect(await jobs(api, 'active')).toBe(0);
  await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)?.key).toBe('lifecycle.cancelled');
  await until('quiesced', async () => (await api.show(run.runId)).quiesced);
  expect(scene.server.exchanges).toHaveLength(1);
});

test('an agent that waited for the provider continues with its next attempt', async () => {
  const api = await service();
  scene.server.script(refuse(429, { headers: { 'retry-after': '1' } }));
  const events = await diagnose(api);
  const at = events.findIndex(({ data }) => data['code'] === 'RATE_LIMITED');
  expect(events[at]?.data).toMatchObject({
    attempt: 1,
    retry_in_ms: 1_000,
    message: expect.stringContaining('Trying again in 1 s.'),
  });
  const next = events
    .slice(at + 1)
    .find(({ key }) => key === 'llm.reasoning' || key === 'llm.stream');
  expect(next?.data['attempt']).toBe(2);
  expect(events.at(-1)?.data).toMatchObject({ partial: false });
});

test('a cancel closes the socket of the provider', async () => {
  const api = await service();
  scene.server.script(begin({ text: 'All is' }));
  const run = await start(api);
  await until('the call', () => scene.server.open === 1);
  await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  await scene.server.exchanges[0]?.closed;
  await run.end();
});

test('partial text never counts as an answer', async () => {
  const api = await service();
  const cut: Reply = inTurn(
    begin({ text: 'Nothing is wrong at all.' }),
    ({ response }) => void response.end(),
  );
  scene.server.script(cut, cut);
  const events = await diagnose(api);
  expect(codes(events, 'system.warning').slice(0, 2)).toEqual(['AI_ERROR', 'AI_ERROR']);
  expect(
    events
      .filter(
        ({ key, data }) =>
          key === 'llm.stream' && data['turn'] === 1 && data['dispatch_id'] === null,
      )
      .map(({ data }) => data['attempt']),
  ).toEqual(expect.arrayContaining([1, 2]));
  const usage = events.filter(
    ({ key, data }) => key === 'llm.usage' && data['turn'] === 1 && data['dispatch_id'] === null,
  );
  expect(usage.map(({ data }) => [data['attempt'], data['finish_reason']])).toEqual([
    [1, 'error'],
    [2, 'error'],
    [3, 'tool-calls'],
  ]);
});

test('used-up attempts are an error, and the run continues with the results so far', async () => {
  const api = await service();
  scene.server.otherwise = refuse(401);
  const events = await diagnose(api);
  const error = events.find(({ key }) => key === 'system.error')?.data;
  expect(error).toMatchObject({
    code: 'AI_ERROR',
    retryable: false,
    attempt: 1,
    message: expect.stringContaining('apiKeyEnv of m in MODELS_FILE'),
  });
  expect(events.at(-1)?.data).toMatchObject({ partial: true });
});

test('the run reaches the conclusion of the rules although the models of a worker and of the top-level agent fail', async () => {
  const api = await service();
  let atTop = 0;
  scene.server.otherwise = (exchange) => {
    const role = roleOf(exchange);
    if (role === 'global_supervisor' && ++atTop > 1) return refuse(404)(exchange);
    if (role === 'worker' && /"node\\":\{\\"id\\":\\"cache/.test(JSON.stringify(exchange.body)))
      return refuse(401)(exchange);
    return runbookReply(exchange);
  };
  const nodes = { web: await httpTarget(scene.targets, erroring), cache: await target() };
  const events = await scene.diagnose(api, topologyOf(nodes));
  const reports = events.filter(({ key }) => key === 'dispatch.report');
  const reportOf = (name: string) => reports.find(({ source }) => source.agent_name === name)?.data;
  expect(reportOf('The cache worker')).toMatchObject({
    status: 'failed',
    reasons: ['AI_ERROR'],
    findings: [],
  });
  expect(reportOf('The web worker')).toMatchObject({ status: 'ok', findings: [{ node: 'web' }] });
  const teams = reports
    .filter(({ source }) => source.agent_type === 'team_supervisor')
    .map(({ data }) => data);
  expect(teams).toContainEqual(
    expect.objectContaining({ status: 'partial', reasons: expect.arrayContaining(['AI_ERROR']) }),
  );
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: {
      partial: true,
      reasons: expect.arrayContaining(['AI_ERROR']),
      report: {
        verdict: 'root_cause_found',
        root_causes: [{ node: 'web' }],
        unchecked: [{ node: 'cache' }],
      },
    },
  });
});

test('the fallback takes over', async () => {
  const api = await service({ fallback: ['small'] }, { small: {} });
  scene.server.otherwise = (exchange) =>
    (exchange.body.model === 'm-1' ? refuse(404) : runbookReply)(exchange);
  const events = await diagnose(api);
  expect(events.at(-1)?.data).toMatchObject({ partial: false });
  expect(
    new Set(events.filter(({ key }) => key === 'llm.usage').map(({ data }) => data['model'])),
  ).toEqual(new Set(['small']));
});
