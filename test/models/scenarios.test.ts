import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { expectValid, type CheckedEvent } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import type { Say } from '../support/models/provider-frames.js';
import { begin, inTurn, type Exchange, type Reply } from '../support/models/provider-server.js';
import { scriptedAgents, type Script } from '../support/models/scripted-agents.js';
import { until } from '../support/until.js';
import {
  call,
  fine,
  report,
  saidIn,
  told,
  toolOf,
  workerReport,
  workerScenario,
} from '../support/models/worker-scenario.js';

const scene = modelScene();
/** The results of the calls of a model. */
const ownResults = (events: CheckedEvent[]) => {
  const added = events.flatMap(({ data }) => (data['by_service'] ? [data['tool_call_id']] : []));
  return events.filter(
    ({ key, data }) => key === 'llm.tool_result' && !added.includes(data['tool_call_id']),
  );
};

describe.each(['openai', 'anthropic'] as const)('with a model of %s', (provider) => {
  const { service, diagnosis, requestsOf } = workerScenario(scene, provider);

  it('answers a question that needs no tool, after one request to use the tools', async () => {
    scene.server.otherwise = scriptedAgents({
      global_supervisor: [[{ text: 'It is ' }, { text: 'well.' }]],
    });
    const { api, topologyId } = await service([]);
    const run = await api.trigger(topologyId);
    const events = expectValid((await run.end()).text);
    expect(saidIn(events.filter(({ data }) => data['turn'] === 1))).toBe('It is well.');
    const [, second, third] = requestsOf('global_supervisor');
    expect(told(second)).toContain('You have called no tool');
    expect(third).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: { report: { verdict: 'healthy', narrative: 'It is well.' } },
    });
    // The service has measured the node.
    expect((await api.show(run.runId)).summary).toMatch(/^Healthy: the one node was measured/);
  });

  it.each<[string, Script, number[], string]>([
    ['once, and it reports', [[{ text: 'All is well.' }], report], [0, 1], 'Looked at.'],
    [
      'once, and it writes text again',
      [[{ text: 'Well.' }], [{ text: 'It is.' }]],
      [0, 1],
      'It is.',
    ],
    ['never after a call', [[call('look', 'a')], [{ text: 'Done.' }]], [0, 0], 'Done.'],
  ])('a worker that writes text is asked for calls %s', async (_, worker, asked, summary) => {
    const look = toolOf('look', async ({ how = '' }) => fine(how));
    const events = await diagnosis(worker, {}, look);
    const nudgesIn = (exchange: Exchange) =>
      told(exchange).split('You have called no tool').length - 1;
    expect(requestsOf('worker').map(nudgesIn)).toEqual(asked);
    expect(workerReport(events)).toMatchObject({ status: 'ok', summary });
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

  it('answers a wrong node id with the right ids, and goes on with the corrected call', async () => {
    const wrong: Say = { call: 'look', args: JSON.stringify({ node: 'shpo' }) };
    const look = toolOf('look', async () => fine('well'));
    const events = await diagnosis([[wrong], [call('look')], report], {}, look);
    const ofLook = ownResults(events).filter(({ data }) => data['tool'] === 'look');
    expect(ofLook.map(({ data }) => data['status'])).toEqual(['error', 'ok']);
    // What the model is told is what the log says.
    const answer = /"shpo\W+ is not a node that you may look at\. Nodes: shop/;
    expect(JSON.stringify(ofLook[0]?.data)).toMatch(answer);
    expect(told(requestsOf('worker')[1])).toMatch(answer);
    expect(workerReport(events)).toMatchObject({ status: 'ok', summary: 'Looked at.' });
  });

  it('reports the measurements of an agent that returns no text after its tools', async () => {
    const events = await diagnosis(
      [[call('look', 'a')], [{ end: 'stop' }]],
      {},
      toolOf('look', async ({ how = '' }) => fine(how)),
    );
    const summary = expect.stringMatching(
      / ended without a conclusion\. Nothing wrong was measured by look, http_probe\.$/,
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
    const results = ownResults(events).map(({ data }) => data['tool_call_id']);
    expect(results).toEqual(['d1_1_t3', 'd1_1_t2', 'd1_1_t1']);
    expect(told(requestsOf('worker')[1]).match(/met [abc]/g)).toEqual(['met a', 'met b', 'met c']);
  });

  it('limits the concurrent tools and the tools of a turn', async () => {
    let now = 0;
    let most = 0;
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
    const results = ownResults(events);
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
    const { api, topologyId } = await service([]);
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

  it('closes the socket of the provider on a cancel within an answer, and keeps the text', async () => {
    scene.server.otherwise = scriptedAgents({
      global_supervisor: [inTurn(begin({ text: 'So far, ' }, { text: 'all is' }))],
    });
    const { api, topologyId } = await service([]);
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
      // The supervisors make native calls. Calls in the worker's text are executed because the
      // models file enables this.
      const env = scene.models({ texts: { provider, textToolCalls: true } });
      // The text arrives in pieces that end anywhere.
      const pieces = (written.match(/[^]{1,7}/g) ?? []).map((text): Say => ({ text }));
      const events = await diagnosis(
        [[{ reasoning: 'I need to look.' }, { text: 'I look. ' }, ...pieces], report],
        {},
        undefined,
        env,
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
