import { describe, expect, it } from '@jest/globals';
import { modelScene } from '../support/models/model-scene.js';
import type { Say } from '../support/models/provider-frames.js';
import type { Exchange, Reply } from '../support/models/provider-server.js';
import { scriptedAgents } from '../support/models/scripted-agents.js';
import {
  call,
  coded,
  fine,
  told,
  toolOf,
  workerReport,
  workerScenario,
} from '../support/models/worker-scenario.js';

const scene = modelScene();

describe.each(['openai', 'anthropic'] as const)('with a model of %s', (provider) => {
  const { diagnosis, requestsOf } = workerScenario(scene, provider);

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
        code: 'LIMIT_WARNING',
        limit_type: 'iteration',
        current_value: 2,
        limit_value: 3,
        percent: 70,
        message: 'Approaching iteration limit (2/3). Consider wrapping up your response.',
      },
      // Of the two that sent it: they have a second turn too.
      expect.objectContaining({ current_value: 2 }),
      expect.objectContaining({ current_value: 2 }),
    ]);
    expect(coded(events, 'LIMIT_REACHED')).toEqual([
      {
        code: 'LIMIT_REACHED',
        limit_type: 'iteration',
        current_value: 3,
        limit_value: 3,
        percent: 100,
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
    // 15 of the head, 15 of the lead, then 40 a turn: 70, 110, 150, 190; a worker's part ends at
    // 160.
    expect(requestsOf('worker')).toHaveLength(4);
    expect(coded(events, 'LIMIT_WARNING')).toEqual([
      {
        code: 'LIMIT_WARNING',
        limit_type: 'token',
        current_value: 190,
        limit_value: 200,
        percent: 80,
        message: 'Approaching token budget (190/200 tokens). Consider being more concise.',
      },
    ]);
    expect(coded(events, 'LIMIT_REACHED')).toEqual([
      {
        code: 'LIMIT_REACHED',
        limit_type: 'token',
        current_value: 190,
        limit_value: 200,
        percent: 95,
        message:
          'Its part of the token budget is used (190/200 tokens of the run; the rest is kept for others). Saving partial response.',
      },
      // The head's conclusion is whole, and passes what was kept for it.
      {
        code: 'LIMIT_REACHED',
        limit_type: 'token',
        current_value: 205,
        limit_value: 200,
        percent: 102,
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
});
