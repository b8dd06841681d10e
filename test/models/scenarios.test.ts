import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { textOf } from '../../src/lib/json.js';
import type { Tool } from '../../src/tools/tool.js';
import type { Api } from '../support/api.js';
import { expectValid, type CheckedEvent } from '../support/event-stream.js';
import { modelScene } from '../support/model-scene.js';
import type { Say } from '../support/provider-frames.js';
import { begin, inTurn, type Exchange, type Reply } from '../support/provider-server.js';
import { roleOf, scriptedAgents, type Script } from '../support/scripted-agents.js';
import { oneWorker } from '../support/topology.js';
import { until } from '../support/until.js';

const scene = modelScene();

const args = z.object({ node: z.string(), how: z.string().optional() });
/** A tool that runs a function of the test. */
const toolOf = (name: string, run: Tool<z.infer<typeof args>>['run']): Tool => ({
  name,
  description: name,
  access: 'read',
  measures: () => 'service',
  subject: ['how'],
  repeatable: true,
  args,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id }),
  run,
});
const fine = (summary: string) => ({
  status: 'ok' as const,
  summary,
  measurements: {},
  issues: [],
});

const call = (tool: string, how?: string): Say => ({
  call: tool,
  args: JSON.stringify({ node: 'shop', ...(how && { how }) }),
});
const report: readonly Say[] = [{ call: 'report', args: '{"summary":"Looked at.","findings":[]}' }];
const codes = (events: CheckedEvent[]) =>
  events.flatMap(({ data }) => (typeof data['code'] === 'string' ? [data['code']] : []));
/** The data of the events with a code, without their dispatch and turn: an agent's event names both; the top has no dispatch. */
const coded = (events: CheckedEvent[], code: string) =>
  events
    .filter(({ data }) => data['code'] === code)
    .map(({ data: { dispatch_id, turn, ...data } }) => {
      expect([null, expect.stringMatching(/^d\d/)]).toContainEqual(dispatch_id);
      expect(turn).toEqual(expect.any(Number));
      return data;
    });
const requestsOf = (role: string) =>
  scene.server.exchanges.filter((exchange) => roleOf(exchange) === role);
const saidIn = (events: CheckedEvent[]) =>
  events.map(({ key, data }) => (key === 'llm.stream' ? textOf(data, 'content') : '')).join('');
const workerReport = (events: CheckedEvent[]) =>
  events.find(({ key, source }) => key === 'dispatch.report' && source.agent_type === 'worker')
    ?.data;

/** Returns all texts in the JSON of a request. */
const told = (exchange: Exchange | undefined) => JSON.stringify(exchange?.body);

describe.each(['openai', 'anthropic'] as const)('with a model of %s', (provider) => {
  let env: () => Record<string, string>;
  beforeEach(() => {
    env = () => scene.hosted(provider);
  });

  /** Starts the service with that model, and one node with a team of one worker that may call these tools. */
  async function service(...tools: Tool[]): Promise<{ api: Api; topologyId: number }> {
    const api = await scene.service(env(), { tools });
    const agents = oneWorker(['http_probe', ...tools.map((tool) => tool.name)]);
    return { api, topologyId: await api.store(await scene.shop(agents)) };
  }

  /** Runs a diagnosis whose worker follows a script. */
  async function diagnosis(
    worker: Script,
    limits: object,
    ...tools: Tool[]
  ): Promise<CheckedEvent[]> {
    scene.server.otherwise = scriptedAgents({ worker });
    const { api, topologyId } = await service(...tools);
    return expectValid((await (await api.trigger(topologyId, { limits })).end()).text);
  }

  it('answers a question that needs no tool, after one request to use the tools', async () => {
    scene.server.otherwise = scriptedAgents({
      global_supervisor: [[{ text: 'It is ' }, { text: 'well.' }]],
    });
    const { api, topologyId } = await service();
    const run = await api.trigger(topologyId);
    const events = expectValid((await run.end()).text);
    expect(saidIn(events.filter(({ data }) => data['turn'] === 1))).toBe('It is well.');
    const [, second, third] = requestsOf('global_supervisor');
    expect(told(second)).toContain('You have called no tool');
    expect(third).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: { report: { verdict: 'inconclusive', narrative: 'It is well.' } },
    });
    expect((await api.show(run.runId)).summary).toMatch(/^Nothing wrong was measured/);
  });

  it('calls a tool and uses its result in the answer', async () => {
    const cite: Reply = (exchange) => {
      const [, id = ''] = /evidence\\*":\\*"(d1_1_t1)/.exec(told(exchange)) ?? [];
      const finding = { node: 'shop', severity: 'info', title: 'looked at', evidence: [id] };
      return scriptedAgents({
        worker: [
          [
            {
              call: 'report',
              args: JSON.stringify({ summary: 'Looked at.', findings: [finding] }),
            },
          ],
        ],
      })(exchange);
    };
    const events = await diagnosis([[{ text: 'I look.' }, call('http_probe')], cite], {});
    const keys = events
      .filter(({ source }) => source?.agent_type === 'worker')
      .map(({ key }) => key);
    expect(keys).toEqual([
      'llm.stream',
      'llm.usage',
      'llm.tool_call',
      'llm.tool_result',
      'llm.usage',
      'llm.stream',
      'dispatch.report',
    ]);
    const result = events.find(({ key }) => key === 'llm.tool_result');
    expect(result?.data).toMatchObject({ status: 'ok', tool: 'http_probe', truncated: false });
    expect(workerReport(events)).toMatchObject({
      status: 'ok',
      findings: [{ title: 'looked at', evidence: [result?.sequence] }],
    });
  });

  it('reports the measurements of an agent that returns no text after its tools', async () => {
    const events = await diagnosis(
      [[call('look', 'a')], [{ end: 'stop' }]],
      {},
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    const summary = expect.stringMatching(
      / ended without a conclusion\. Nothing wrong was measured by look\.$/,
    ) as unknown;
    expect(workerReport(events)).toMatchObject({ status: 'ok', reasons: [], summary });
  });

  it('runs tools concurrently, and returns their results in the order of the calls', async () => {
    const inside = new Set<string>();
    const left: string[] = [];
    const meet = toolOf('meet', async ({ how = '' }) => {
      inside.add(how);
      await until('all three at once', () => inside.size === 3);
      // The last call returns first.
      const before = { a: 'b', b: 'c' }[how];
      await until(
        'the return of the next call',
        () => before === undefined || left.includes(before),
      );
      left.push(how);
      return fine(`met ${how}`);
    });
    const events = await diagnosis(
      [[call('meet', 'a'), call('meet', 'b'), call('meet', 'c')], report],
      { maxParallelTools: 3 },
      meet,
    );
    const results = events
      .filter(({ key }) => key === 'llm.tool_result')
      .map(({ data }) => data['tool_call_id']);
    expect(results).toEqual(['d1_1_t3', 'd1_1_t2', 'd1_1_t1']);
    expect(told(requestsOf('worker')[1]).match(/met [abc]/g)).toEqual(['met a', 'met b', 'met c']);
  });

  it('limits the concurrent tools and the tools of a turn', async () => {
    let [now, most] = [0, 0];
    const busy = toolOf('busy', async () => {
      most = Math.max(most, ++now);
      await sleep(30);
      now--;
      return fine('done');
    });
    const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((how) => call('busy', how));
    const events = await diagnosis(
      [calls, report],
      { maxParallelTools: 2, maxToolCallsPerTurn: 5 },
      busy,
    );
    const results = events.filter(({ key }) => key === 'llm.tool_result');
    expect(most).toBe(2);
    expect(results.map(({ data }) => data['status']).sort()).toEqual([
      'error',
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
    ]);
    expect(JSON.stringify(results)).toContain('At most 5 calls are made in a turn');
  });

  it('streams an answer immediately, with at most one event per 40 ms', async () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i} `);
    const seen = new Set<string>();
    const slowly: Reply = async (exchange) => {
      await begin()(exchange);
      for (const [i, text] of words.entries()) {
        exchange.response.write(exchange.frames.say({ text }));
        await sleep(5);
        // A client sees what has been said before any more is said.
        if (i % 10 === 9) await until('a client has it', () => seen.has(text));
      }
      exchange.response.end(exchange.frames.say({ end: 'stop' }));
    };
    scene.server.otherwise = scriptedAgents({ global_supervisor: [slowly] });
    const { api, topologyId } = await service();
    const run = await api.trigger(topologyId);
    for (let i = 9; i < words.length; i += 10) {
      await run.has(`word${i} `);
      seen.add(`word${i} `);
    }
    const texts = expectValid((await run.end()).text).filter(
      ({ key, data }) => key === 'llm.stream' && data['turn'] === 1,
    );
    expect(saidIn(texts)).toBe(words.join(''));
    expect(texts.length).toBeGreaterThan(5);
    const [first, last] = [texts.at(0), texts.at(-1)].map((event) =>
      Date.parse(event?.timestamp ?? ''),
    );
    expect(texts.length).toBeLessThanOrEqual(((last ?? 0) - (first ?? 0)) / 40 + 2);
  });

  it('warns before the last turns, and the agent reports its results', async () => {
    let i = 0;
    const probe: Reply = (exchange) =>
      scriptedAgents({ worker: [[call('look', `way ${++i}`)]] })(exchange);
    const events = await diagnosis(
      [probe],
      { maxIterations: 3 },
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    expect(coded(events, 'LIMIT_WARNING')).toEqual([
      {
        ...{
          code: 'LIMIT_WARNING',
          limit_type: 'iteration',
          current_value: 2,
          limit_value: 3,
          percent: 70,
        },
        message: 'Approaching iteration limit (2/3). Consider wrapping up your response.',
      },
      // Of the two that sent it: they have a second turn too.
      expect.objectContaining({ current_value: 2 }),
      expect.objectContaining({ current_value: 2 }),
    ]);
    expect(coded(events, 'LIMIT_REACHED')).toEqual([
      {
        ...{
          code: 'LIMIT_REACHED',
          limit_type: 'iteration',
          current_value: 3,
          limit_value: 3,
          percent: 100,
        },
        message: 'Maximum iterations reached (3/3). Saving partial response.',
      },
    ]);
    expect(
      requestsOf('worker').map((exchange) =>
        told(exchange).includes('Approaching iteration limit (2/3)'),
      ),
    ).toEqual([false, true, true]);
    // In the last turn the model must report.
    expect(
      requestsOf('worker').map(({ body }) => 'tool_choice' in body && told({ body } as Exchange)),
    ).toEqual([false, false, expect.stringMatching(/"tool_choice":\{[^}]*"report"/)]);
    expect(workerReport(events)).toMatchObject({ status: 'partial', reasons: ['LIMIT_REACHED'] });
    expect(events.at(-1)?.data).toMatchObject({ partial: true, reasons: ['LIMIT_REACHED'] });
  });

  it('warns once about low tokens, and makes no calls after they are used up', async () => {
    const dear = (say: Say): readonly Say[] => [say, { end: 'tool-calls', usage: [10, 30] }];
    let i = 0;
    const probe: Reply = (exchange) =>
      scriptedAgents({ worker: [dear(call('look', `way ${++i}`))] })(exchange);
    const events = await diagnosis(
      [probe],
      { tokenBudget: 200 },
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    // 15 of the head, 15 of the lead, then 40 a turn: 70, 110, 150, 190; a worker's part ends at 160.
    expect(requestsOf('worker')).toHaveLength(4);
    expect(coded(events, 'LIMIT_WARNING')).toEqual([
      {
        ...{
          code: 'LIMIT_WARNING',
          limit_type: 'token',
          current_value: 190,
          limit_value: 200,
          percent: 80,
        },
        message: 'Approaching token budget (190/200 tokens). Consider being more concise.',
      },
    ]);
    expect(coded(events, 'LIMIT_REACHED')).toEqual([
      {
        ...{
          code: 'LIMIT_REACHED',
          limit_type: 'token',
          current_value: 190,
          limit_value: 200,
          percent: 95,
        },
        message:
          'Its part of the token budget is used (190/200 tokens of the run; the rest is kept for others). Saving partial response.',
      },
      // The head's conclusion is whole, and passes what was kept for it.
      {
        ...{
          code: 'LIMIT_REACHED',
          limit_type: 'token',
          current_value: 205,
          limit_value: 200,
          percent: 102,
        },
        message: 'Token budget reached (205/200 tokens). No more model calls are made.',
      },
    ]);
    expect(
      requestsOf('worker').map((exchange) =>
        told(exchange).includes('Approaching token budget (150/160 tokens)'),
      ),
    ).toEqual([false, false, false, true]);
    // With so few tokens left, the request limits the length of the answer.
    const bounds = scene.server.exchanges.map(
      ({ body }) => body['max_tokens'] ?? body['max_completion_tokens'],
    );
    expect(new Set(bounds)).toEqual(new Set([256]));
    expect(workerReport(events)).toMatchObject({ status: 'partial', reasons: ['LIMIT_REACHED'] });
    expect(events.at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: { partial: true, usage: { total_tokens: 205 } },
    });
  });

  it('treats an answer that was cut for lack of tokens as incomplete', async () => {
    const cut: readonly Say[] = [{ text: 'So far it' }, { end: 'length', usage: [10, 30] }];
    const events = await diagnosis([cut], { tokenBudget: 200 });
    expect(workerReport(events)).toMatchObject({
      status: 'partial',
      reasons: ['LIMIT_REACHED'],
      summary: 'So far it',
    });
    expect(coded(events, 'LIMIT_REACHED')).toHaveLength(1);
    const other = await diagnosis([cut], {});
    expect(workerReport(other)).toMatchObject({ status: 'partial', reasons: ['ANSWER_CUT'] });
    expect(coded(other, 'LIMIT_REACHED')).toEqual([]);
  });

  it('answers active calls at the deadline, and all agents report without another model call', async () => {
    const hang = toolOf('look', () => new Promise(() => undefined));
    const events = await diagnosis(
      [[call('look', 'a'), call('look', 'b')]],
      { timeoutSeconds: 10 },
      hang,
    );
    const results = events
      .filter(({ key }) => key === 'llm.tool_result')
      .map(({ data }) => data['status']);
    expect(results).toEqual(['timeout', 'timeout']);
    expect(coded(events, 'LIMIT_REACHED').map(({ limit_type }) => limit_type)).toEqual(['timeout']);
    expect(coded(events, 'LIMIT_REACHED')[0]?.['message']).toMatch(
      /^Time limit reached \(\d+\/10 s\)\. Saving partial response\.$/,
    );
    expect(workerReport(events)).toMatchObject({
      status: 'partial',
      reasons: expect.arrayContaining(['LIMIT_REACHED']),
    });
    expect(requestsOf('worker')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: true } });
  });

  it('warns about near-repeats, notifies the model, and continues', async () => {
    const script = [...['a', 'b', 'c', 'd'].map((how) => [call('look', how)]), report];
    const events = await diagnosis(
      script,
      {},
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    expect(coded(events, 'LOOP_DETECTED')).toEqual([
      expect.objectContaining({
        pattern: 'look({"node":"shop"})',
        message: expect.stringMatching(/^Loop detected/),
      }),
    ]);
    const loop = events.findIndex(({ data }) => data['code'] === 'LOOP_DETECTED');
    expect(events[loop]?.data).toBeDefined();
    expect(
      events.findIndex(({ data }) => data['tool_call_id'] === 'd1_1_t3' && 'status' in data),
    ).toBeGreaterThan(loop);
    expect(
      requestsOf('worker').map((exchange) => told(exchange).includes('Loop detected')),
    ).toEqual([false, false, false, true, true]);
    expect(workerReport(events)).toMatchObject({ status: 'ok', reasons: [] });
  });

  it('ends the work after the same action three times in a row', async () => {
    const events = await diagnosis(
      [[call('look', 'a')]],
      {},
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    expect(codes(events)).toEqual(['LOOP_DETECTED', 'NO_PROGRESS']);
    expect(coded(events, 'NO_PROGRESS')[0]).toMatchObject({
      message:
        'No progress detected - the same action was attempted 3 times. Terminating to prevent infinite loop.',
      repeated_action: 'look({"how":"a","node":"shop"})',
    });
    expect(requestsOf('worker')).toHaveLength(3);
    expect(workerReport(events)).toMatchObject({
      status: 'partial',
      reasons: expect.arrayContaining(['NO_PROGRESS']),
      summary: expect.stringMatching(
        / ended without a conclusion \(NO_PROGRESS\)\. Nothing wrong was measured by look\.$/,
      ),
    });
    expect(events.at(-1)?.data).toMatchObject({
      partial: true,
      reasons: expect.arrayContaining(['NO_PROGRESS']),
    });
  });

  it('ends the work after three turns in which every call fails', async () => {
    const broken = toolOf('look', async ({ how = '' }) =>
      Promise.reject(new Error(`connection timeout ${how}`)),
    );
    const events = await diagnosis(
      [[call('look', 'a')], [{ call: 'dig', args: '{}' }], [call('look', 'c')]],
      {},
      broken,
    );
    expect(coded(events, 'ERROR_LIMIT')).toEqual([
      {
        ...{ code: 'ERROR_LIMIT', error_count: 3, last_error: 'connection timeout c' },
        message: 'Multiple consecutive errors (3/3). Terminating with partial results.',
      },
    ]);
    expect(events.find(({ data }) => data['code'] === 'ERROR_LIMIT')?.key).toBe('system.error');
    expect(requestsOf('worker')).toHaveLength(3);
    expect(workerReport(events)).toMatchObject({
      status: 'partial',
      reasons: expect.arrayContaining(['ERROR_LIMIT']),
    });
  });

  it('closes the socket of the provider on a cancel within an answer, and keeps the text', async () => {
    scene.server.otherwise = scriptedAgents({
      global_supervisor: [inTurn(begin({ text: 'So far, ' }, { text: 'all is' }))],
    });
    const { api, topologyId } = await service();
    const run = await api.trigger(topologyId);
    await run.has('all is');
    await api.cancel(run.runId);
    await scene.server.exchanges[0]?.closed;
    const events = expectValid((await run.end()).text);
    expect(events.at(-1)?.key).toBe('lifecycle.cancelled');
    expect(saidIn(events)).toBe('So far, all is');
    expect(scene.server.exchanges).toHaveLength(1);
  });

  it.each([
    [
      'XML',
      '<tool_call>\n<function=http_probe>\n<parameter=node>\nshop\n</parameter>\n</function>\n</tool_call>',
    ],
    ['JSON', '<tool_call>{"name": "http_probe", "arguments": {"node": "shop"}}</tool_call>'],
  ])(
    'runs a tool call that the model writes as %s, and shows no markup of it',
    async (_, written) => {
      // The supervisors make native calls. Calls in the worker's text are executed because the models file enables this.
      env = () => scene.models({ texts: { provider, textToolCalls: true } });
      // The text arrives in pieces that end anywhere.
      const pieces = (written.match(/[^]{1,7}/g) ?? []).map((text): Say => ({ text }));
      const events = await diagnosis(
        [[{ reasoning: 'I need to look.' }, { text: 'I look. ' }, ...pieces], report],
        {},
      );
      const result = events.find(({ key }) => key === 'llm.tool_result');
      expect(result?.data).toMatchObject({ tool: 'http_probe', status: 'ok' });
      expect(events.find(({ key }) => key === 'llm.tool_call')?.data).toMatchObject({
        args: { node: 'shop' },
      });
      const shown = events
        .filter(({ key }) => key === 'llm.stream' || key === 'llm.reasoning')
        .map(({ data }) => JSON.stringify(data));
      expect(shown.join('')).toContain('I look.');
      expect(shown.join('')).not.toMatch(/tool_call|function=|parameter|http_probe|[<>]/);
      expect(workerReport(events)).toMatchObject({ status: 'ok' });
    },
  );
});
