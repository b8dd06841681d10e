import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Tool } from '../../src/tools/tool.js';
import type { CheckedEvent } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import { PROTOCOLS, type Protocol, type Say } from '../support/models/provider-frames.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf, scriptedAgents } from '../support/models/scripted-agents.js';
import { oneWorker } from '../support/incidents/topology.js';
import { coded } from '../support/models/worker-scenario.js';

const unhandled: unknown[] = [];
const remember = (error: unknown) => void unhandled.push(error);
beforeEach(() => void process.on('unhandledRejection', remember));
const scene = modelScene();
afterEach(() => {
  process.off('unhandledRejection', remember);
  expect(unhandled).toEqual([]);
});

const args = z.object({ node: z.string(), depth: z.int().min(1).max(3).optional() });
type Run = Tool<z.infer<typeof args>>['run'];
const toolOf = (run: Run): Tool => ({
  name: 'look',
  description: 'Looks',
  access: 'read',
  measures: () => 'service',
  subject: ['depth'],
  repeatable: true,
  onDemand: () => true,
  args,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id }),
  run,
});
const fine = (measurements: object) => ({
  status: 'ok' as const,
  summary: 'done',
  measurements: measurements as never,
  issues: [],
});
const good = { call: 'look', args: '{"node":"shop"}' };

/**
 * Starts a service whose worker uses a model that is called by a protocol, and diagnoses the shop.
 */
async function diagnose(run: Run, limits: object = {}, protocol: Protocol = 'chat') {
  const model = {
    provider: protocol === 'anthropic' ? 'anthropic' : 'openai',
    ...(protocol !== 'anthropic' && { api: protocol }),
  };
  const env = scene.models({ planner: {}, model });
  const api = await scene.service(env, { tools: [toolOf(run)] });
  const topology = await scene.shop(oneWorker(['look'], { model: 'model' }));
  const events = await scene.diagnose(api, topology, limits);
  expect(events.at(-1)?.key).toBe('lifecycle.completed');
  expect(coded(events, 'AI_ERROR')).toEqual([]);
  return events;
}

/** Starts a run whose worker makes these calls in its first turn and reports in its second. */
async function results(
  run: Run,
  calls: Say[] = [good],
  limits: object = {},
  protocol?: Protocol,
): Promise<CheckedEvent['data'][]> {
  scene.server.otherwise = scriptedAgents({
    worker: [calls, [{ call: 'report', args: '{"summary":"Looked at."}' }]],
  });
  const events = await diagnose(run, limits, protocol);
  // The worker continues after any failure of a tool.
  expect(
    events.filter(
      ({ data }) => data['code'] === 'AGENT_RESUMED' || data['code'] === 'AGENT_FAILED',
    ),
  ).toEqual([]);
  return events.filter(({ key }) => key === 'llm.tool_result').map(({ data }) => data);
}

/** Returns the tool results that the model receives in its second turn. */
const told = () =>
  JSON.stringify(
    scene.server.exchanges.filter((exchange) => roleOf(exchange) === 'worker')[1]?.body,
  );

it('takes a number that the model wrote as text for one, and tells it what was measured', async () => {
  const depths: unknown[] = [];
  const run: Run = async ({ depth }) => {
    depths.push(depth);
    return fine({ depth: depth ?? 0 });
  };
  const written: Say = { call: 'look', args: '{"node":"shop","depth":"3"}' };
  expect(await results(run, [written])).toMatchObject([{ status: 'ok' }]);
  expect(depths).toEqual([3]);
  expect(told()).toMatch(/measurements[\\":{]+depth[\\":]+3\}/);
});

it.each([
  ['arguments that are no JSON', { call: 'look', args: '{"node": "sh' }, /not a JSON object/],
  ['arguments that are no object', { call: 'look', args: '["shop"]' }, /not a JSON object/],
  [
    'a tool that does not exist',
    { call: 'dig', args: '{"node":"shop"}' },
    /There is no tool .*dig.* here\. Tools: look/,
  ],
  [
    'arguments that fail the schema',
    { call: 'look', args: '{"node":"shop","depth":9}' },
    /depth: .*3/,
  ],
  [
    'a node that does not exist',
    { call: 'look', args: '{"node":"shed"}' },
    /node: .*shed.* is not a node that you may look at\. Nodes: shop/,
  ],
])('%s: returned as an error that names the fault, never run', async (_, wrong, message) => {
  let runs = 0;
  const [first, second] = await results(async () => fine({ runs: ++runs }), [wrong, good]);
  expect([first, second].map((result) => result?.['status']).sort()).toEqual(['error', 'ok']);
  expect(runs).toBe(1);
  expect(told()).toMatch(message);
});

describe.each(PROTOCOLS)('with a model that is called by %s', (protocol) => {
  const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  it.each<[string, Say, RegExp]>([
    ['an empty name', { call: '', args: good.args }, /The call has no tool name/],
    ['a blank name', { call: ' ', args: good.args }, /The call has no tool name/],
    [
      'arguments nested 10,000 deep',
      { call: 'look', args: `{"node":"shop","depth":${nested}}` },
      /nested deeper than 32 levels/,
    ],
  ])('a call with %s: returned as an error, never run', async (_, wrong, message) => {
    let runs = 0;
    const run: Run = async () => fine({ runs: ++runs });
    const [first, second] = await results(run, [wrong, good], {}, protocol);
    expect([first, second].map((result) => result?.['status']).sort()).toEqual(['error', 'ok']);
    expect(runs).toBe(1);
    expect(told()).toMatch(message);
  });

  it('a call with arguments of a megabyte: returned as an error, and nothing after it is read', async () => {
    let runs = 0;
    const long = { call: 'look', args: `{"node":"shop","depth":"${'x'.repeat(2 ** 20)}"}` };
    const run: Run = async () => fine({ runs: ++runs });
    const ended = await results(run, [long, good], {}, protocol);
    expect(ended.map((result) => result['status'])).toEqual(['error']);
    expect(runs).toBe(0);
    expect(told()).toMatch(/longer than 65536 characters/);
  });

  it('200 calls in every turn: the model reads that most are not made, then its work ends', async () => {
    let runs = 0;
    scene.server.otherwise = scriptedAgents({ worker: [Array.from({ length: 200 }, () => good)] });
    const events = await diagnose(async () => fine({ runs: ++runs }), {}, protocol);
    const ended = coded(events, 'NO_PROGRESS');
    expect(ended.length).toBeGreaterThan(0);
    const asked = scene.server.exchanges.filter((exchange) => roleOf(exchange) === 'worker');
    expect(asked).toHaveLength(2 * ended.length);
    expect(runs).toBe(20 * asked.length);
    expect(told()).toContain('At most 20 calls are made in a turn');
    const recorded = events.filter(
      ({ key, data }) => key === 'llm.tool_call' && data['by_service'] === undefined,
    );
    expect(recorded).toHaveLength(21 * asked.length);
  });
});

it('a supervisor that calls an unknown tool receives the list of its tools and of its agents', async () => {
  scene.server.otherwise = scriptedAgents({
    global_supervisor: [[{ call: 'rm_rf', args: '{}' }], runbookReply],
  });
  const api = await scene.service(scene.hosted(), { tools: [toolOf(async () => fine({}))] });
  await scene.diagnose(api, await scene.shop(oneWorker(['look'])));
  const asked = (role: string) =>
    scene.server.exchanges
      .filter((exchange) => roleOf(exchange) === role)
      .map(({ body }) => JSON.stringify(body));
  expect(asked('global_supervisor')[1]).toMatch(
    /There is no tool .*rm_rf.* here\. Tools: dispatch_team, report(?!,)/,
  );
  expect(asked('global_supervisor')[0]).toMatch(/"team":\{[^}]*"enum":\["\w/);
  expect(asked('team_supervisor')[0]).toMatch(/"worker":\{[^}]*"enum":\["\w/);
});

it('abandons a tool that hangs and ignores its signal', async () => {
  const [result] = await results(() => new Promise(() => undefined), [good], {
    toolTimeoutSeconds: 1,
  });
  expect(result).toMatchObject({ status: 'timeout', result: { error: 'no result within 1 s' } });
});

it('cuts a value of 500 MB in bounded memory', async () => {
  const megabyte = 'x'.repeat(2 ** 20);
  const [result] = await results(async () =>
    fine({ pages: Array<string>(500).fill(megabyte), more: megabyte }),
  );
  expect(result).toMatchObject({ status: 'ok', truncated: true });
  expect(JSON.stringify(result).length).toBeLessThan(70_000);
});

it.each([
  ['binary bytes', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), '(binary, 7 bytes)'],
  ['broken UTF-8', Buffer.from([0x61, 0xc3, 0x28, 0x62]), 'a\ufffd(b'],
  ['a text with half a pair', 'a\ud800b', 'a\ufffdb'],
  ['a text with NUL', 'a\0b', '(binary, 3 characters)'],
])('%s are returned as far as possible, and marked', async (_, body, shown) => {
  const [result] = await results(async () => fine({ body }));
  expect(result).toMatchObject({
    status: 'ok',
    truncated: true,
    result: { measurements: { body: shown } },
  });
});

/** Throws any value. */
const rejected =
  (why: unknown): Run =>
  async () => {
    await Promise.resolve();

    throw why;
  };

it.each<[string, Run, RegExp]>([
  ['nothing', rejected(null), /^null$/],
  ['a text', rejected('it broke'), /^it broke$/],
  [
    'an object without a prototype',
    rejected(Object.assign(Object.create(null) as object, { why: 1 })),
    /^\{"why":1\}$/,
  ],
  ['a circle', rejected(circle()), /cannot be converted to text/],
  [
    'at once',
    () => {
      throw new Error('at once');
    },
    /^at once$/,
  ],
])('a tool that throws %s', async (_, run, message) => {
  const [result] = await results(run);
  expect(result).toMatchObject({
    status: 'error',
    result: { error: expect.stringMatching(message) },
  });
});

it('ignores a tool that rejects after its timeout', async () => {
  let reject = (_: Error): void => undefined;
  const late = new Promise<never>((_, no) => (reject = no));
  const [result] = await results(() => late, [good], { toolTimeoutSeconds: 1 });
  expect(result?.['status']).toBe('timeout');
  reject(new Error('too late'));
  await sleep(50);
  expect(unhandled).toEqual([]);
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a number', 7],
  ['an object that is no result', { hello: 'world' }],
])('a tool that returns %s has no result', async (_, returned) => {
  const [result] = await results(async () => returned as never);
  expect(result).toMatchObject({
    status: 'error',
    result: { error: 'The tool returned something that is not a result.' },
  });
});

function circle(): object {
  const ring: Record<string, unknown> = {};
  ring['ring'] = ring;
  return ring;
}
