import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { CheckedEvent } from '../support/streams/event-stream.js';
import { largeTool } from '../support/large-tool.js';
import { modelScene } from '../support/models/model-scene.js';
import type { Say } from '../support/models/provider-frames.js';
import {
  answer,
  begin,
  refuse,
  type Exchange,
  type Reply,
} from '../support/models/provider-server.js';
import { roleOf, scriptedAgents, type Script } from '../support/models/scripted-agents.js';
import { healthy, silent } from '../support/processes/target.js';
import { oneWorker } from '../support/incidents/topology.js';

const scene = modelScene();

const REPORT = [{ call: 'report', args: '{"summary":"Looked at."}' }] as const;
const workers = () => scene.server.exchanges.filter((exchange) => roleOf(exchange) === 'worker');
const workerReport = (events: CheckedEvent[]) =>
  events.find(({ key, source }) => key === 'dispatch.report' && source.agent_type === 'worker')
    ?.data;

/** Tokens that are reserved for an answer. */
const ANSWER = 4_096;

/** Reports, and records the tokens that are reserved for the worker meanwhile. */
const reportOnce =
  (reserved: number[]): Reply =>
  async (exchange) => {
    const { redis, prefix } = scene.scene.redis;
    const [key = ''] = await redis.keys(`*${prefix}*:budget`);
    reserved.push(Number(((await redis.hget(key, 'd1_1')) ?? '').split(':')[0]));
    await answer(...REPORT)(exchange);
  };

/** Starts a run whose worker has its own behaviour tree. */
async function run(
  tree: string,
  script: Script,
  limits: object = {},
  target = healthy,
): Promise<CheckedEvent[]> {
  scene.write('mine.tree', tree);
  scene.server.otherwise = scriptedAgents({ worker: script });
  const api = await scene.service({
    ...scene.models({ big: {}, small: {} }),
    BEHAVIOURS_DIR: scene.folder,
  });
  return scene.diagnose(
    api,
    await scene.shop(oneWorker(['http_probe', 'tcp_probe'], { behaviour: 'mine.tree' }), target),
    limits,
  );
}

describe('an llm-call', () => {
  it('may set its model, its tools, additional instructions and the length of its answer', async () => {
    const tree = `(tree mine :blackboard-schema {:which "small" :more ["Be brief." "Be quick."]}
      (sequence
        (action start-turn)
        (llm-call :model (blackboard :which) :tools [report http_probe] :messages (blackboard :more) :budget 500)
        (action report)))`;
    const events = await run(tree, [REPORT]);
    const [request] = workers();
    expect(request?.body).toMatchObject({ model: 'small-1', max_tokens: 500 });
    const tools = request?.body['tools'] as { function: { name: string } }[];
    expect(tools.map((tool) => tool.function.name).sort()).toEqual(['http_probe', 'report']);
    const messages = request?.body['messages'] as { role: string; content: unknown }[];
    expect(JSON.stringify(messages.slice(-2))).toMatch(/Be brief\..*Be quick\./);
    expect(workerReport(events)).toMatchObject({ status: 'ok' });
    expect(scene.server.exchanges[0]?.body).toMatchObject({ model: 'big-1' });
    expect(scene.server.exchanges[0]?.body).toMatchObject({ max_tokens: 4_096 });
  });

  it('reserves tokens for new text by its bytes, in any script', async () => {
    scene.write(
      'mine.tree',
      '(tree mine (sequence (action start-turn) (llm-call) (action run-tools) (action start-turn) (llm-call) (action report)))',
    );
    const reserved: number[] = [];
    const read: Say[] = [
      { call: 'big_read', args: '{"node":"shop","part":1}' },
      { end: 'tool-calls', usage: [800, 100] },
    ];
    scene.server.otherwise = scriptedAgents({ worker: [read, reportOnce(reserved)] });
    const env = { ...scene.models({ big: {} }), BEHAVIOURS_DIR: scene.folder };
    const api = await scene.service(env, { tools: [largeTool(1_000, 7, '磁盘已满')] });
    await scene.diagnose(
      api,
      await scene.shop(oneWorker(['big_read'], { behaviour: 'mine.tree' })),
    );
    // By its characters it would be 250.
    expect(reserved[0]).toBeGreaterThan(ANSWER + 900 + 1_000);
  });

  describe('of another model than the agent is bound to', () => {
    const WINDOW = 4_000;
    /** Minimum bytes of the results: each result is bounded. */
    const READ = 30_000;
    const tree = `(tree mine :blackboard-schema {:more ["${'Be brief. '.repeat(60)}"]} (sequence
      (action start-turn) (llm-call :model big) (action run-tools)
      (action start-turn) (action build-messages) (llm-call :model small :messages (blackboard :more))
      (action start-turn) (action build-messages) (llm-call :model big)
      (action report)))`;
    const read: Say[] = [
      ...Array.from({ length: 8 }, (_, part) => ({
        call: 'big_read',
        args: JSON.stringify({ node: 'shop', part }),
        id: `c${part}`,
      })),
      { end: 'tool-calls', usage: [800, 100] },
    ];
    const bytesOf = (exchange: Exchange | undefined) =>
      Buffer.byteLength(JSON.stringify(exchange?.body));

    /** @param bound the model that the agents are bound to */
    const start = async (bound: string, ...then: Script) => {
      scene.write('mine.tree', tree);
      scene.server.otherwise = scriptedAgents({ worker: [read, ...then] });
      const env = {
        ...scene.models({ big: { contextWindow: 200_000 }, small: { contextWindow: WINDOW } }),
        MODEL: bound,
        BEHAVIOURS_DIR: scene.folder,
      };
      const api = await scene.service(env, { tools: [largeTool(5_000, 7)] });
      return scene.diagnose(
        api,
        await scene.shop(oneWorker(['big_read'], { behaviour: 'mine.tree' })),
        { tokenBudget: 1_000_000 },
      );
    };

    it.each(['big', 'runbook'])(
      'is sent what fits its window, and the other one all of it; bound to %s',
      async (bound) => {
        const events = await start(bound, [{ text: 'Go on.' }], REPORT);
        const [, small, big] = workers();
        expect(small?.body).toMatchObject({ model: 'small-1' });
        // A provider counts at least one token for three bytes of this text.
        expect(bytesOf(small) / 3).toBeLessThan(WINDOW);
        expect(JSON.stringify(small?.body)).toContain('left out');
        expect(JSON.stringify(small?.body)).toContain('Be brief. Be brief.');
        expect(big?.body).toMatchObject({ model: 'big-1' });
        expect(bytesOf(big)).toBeGreaterThan(READ);
        const warning = events.find(({ data }) => data['code'] === 'CONTEXT_LIMIT_WARNING');
        expect(warning?.data).toMatchObject({ limit_value: WINDOW });
        expect(workerReport(events)).toMatchObject({ status: 'ok' });
      },
    );

    it('reserves its prompt in the budget, though the runbook reserves none', async () => {
      const reserved: number[] = [];
      await start('runbook', [{ text: 'Go on.' }], reportOnce(reserved));
      expect(reserved[0]).toBeGreaterThan(ANSWER + READ / 4);
    });
  });

  it('writes its text to the blackboard', async () => {
    const tree = `(tree mine :blackboard-schema {:answer ""}
      (sequence
        (action start-turn)
        (llm-call :stream-to [:answer])
        (action start-turn)
        (llm-call :model (blackboard :answer))
        (action report)))`;
    const events = await run(tree, [[{ text: 'small' }], REPORT]);
    expect(workers().map(({ body }) => body.model)).toEqual(['big-1', 'small-1']);
    expect(workerReport(events)).toMatchObject({ status: 'ok' });
  });

  it('fails by name if its model does not exist', async () => {
    const events = await run(
      '(tree mine (sequence (action start-turn) (llm-call :model huge) (action report)))',
      [REPORT],
    );
    const error = events.find(({ key }) => key === 'system.error');
    expect(error?.data).toMatchObject({
      code: 'AI_ERROR',
      message: expect.stringContaining('No model is called "huge"'),
    });
    expect(workerReport(events)).toMatchObject({ status: 'failed' });
  });

  it('is repeated if it exceeds its time', async () => {
    const events = await run(
      '(tree mine (sequence (action start-turn) (llm-call :timeout 2) (action report)))',
      [begin({ text: 'All' }), REPORT],
    );
    const warning = events.find(({ data }) => data['code'] === 'AI_ERROR');
    expect(warning?.data).toMatchObject({
      retryable: true,
      attempt: 1,
      message: expect.stringContaining('within 2 s'),
    });
    expect(workerReport(events)).toMatchObject({ status: 'ok', summary: 'Looked at.' });
    expect(await workers()[0]?.closed).toBeGreaterThan(0);
  });

  it('is cut off by a timeout of the tree, and its socket closed', async () => {
    const tree = `(tree mine (sequence
      (action start-turn)
      (selector (timeout :ms 3000 (llm-call)) (llm-call))
      (action report)))`;
    const events = await run(tree, [begin({ text: 'All' }), REPORT]);
    expect(await workers()[0]?.closed).toBeGreaterThan(0);
    expect(workerReport(events)).toMatchObject({ status: 'ok', summary: 'Looked at.' });
    const said = events.filter(
      ({ key, source }) => key.startsWith('llm.') && source.agent_type === 'worker',
    );
    expect(
      said.map(({ key, data }) => [key, data['turn'], data['attempt'], data['finish_reason']]),
    ).toEqual([
      ['llm.stream', 1, 1, undefined],
      ['llm.usage', 1, 1, 'aborted'],
      ['llm.usage', 1, 2, 'tool-calls'],
      // What it concludes is also said as text.
      ['llm.stream', 1, 2, undefined],
    ]);
  });

  it('is cut off by a timeout of the tree while it waits for its provider without a slot', async () => {
    // Only the worker uses `small`: the others do not wait for its provider.
    const tree =
      '(tree mine (sequence (action start-turn) (always-succeed (timeout :ms 3000 (llm-call :model small))) (action report)))';
    const events = await run(tree, [refuse(429, { headers: { 'retry-after': '60' } }), REPORT]);
    const at = (event: CheckedEvent | undefined) => Date.parse(event?.timestamp ?? '');
    const told = events.find(({ data }) => data['code'] === 'RATE_LIMITED');
    const reported = events.find(
      ({ key, source }) => key === 'dispatch.report' && source.agent_type === 'worker',
    );
    expect(told?.data).toMatchObject({ retry_in_ms: 60_000 });
    expect(at(reported) - at(told)).toBeLessThan(60_000);
    expect(events.at(-1)?.key).toBe('lifecycle.completed');
  });

  it('is awaited if it must not be interrupted', async () => {
    const tree = `(tree mine (sequence
      (action start-turn)
      (selector (timeout :ms 100 (llm-call :interruptible false)) (action start-turn))
      (action report)))`;
    const slowly: Script[number] = async (exchange) => {
      await sleep(500);
      await answer(...REPORT)(exchange);
    };
    const events = await run(tree, [slowly]);
    expect(workerReport(events)).toMatchObject({ status: 'ok', summary: 'Looked at.' });
    expect(workers()).toHaveLength(1);
  });

  it('is not repeated if the budget is used up', async () => {
    const tree = `(tree mine (sequence
      (always-succeed
        (repeater :max-iterations 50 :until-failure
          (decorator budget-check (sequence (action start-turn) (llm-call) (action run-tools)))))
      (action report)))`;
    const probe: Say[] = [
      { call: 'http_probe', args: '{"node":"shop"}' },
      { end: 'tool-calls', usage: [10, 100] },
    ];
    const events = await run(tree, [probe], { tokenBudget: 400 });
    // Its part of the budget ends at 320: what was called behind that is answered, and not made.
    expect(workers()).toHaveLength(3);
    const results = events
      .filter(({ key }) => key === 'llm.tool_result')
      .map(({ data }) => data['status']);
    expect(results).toEqual(['ok', 'ok', 'interrupted']);
    expect(events.at(-1)?.key).toBe('lifecycle.completed');
  });
});

it('tools that exceed the time of the tree get a timeout as result', async () => {
  const tree = `(tree mine (sequence
    (action start-turn) (llm-call)
    (always-succeed (timeout :ms 300 (action run-tools)))
    (action start-turn) (llm-call)
    (action report)))`;
  const events = await run(
    tree,
    [[{ call: 'http_probe', args: '{"node":"shop"}' }], REPORT],
    {},
    silent,
  );
  const results = events.filter(
    ({ key, data }) => key === 'llm.tool_result' && data['tool'] === 'http_probe',
  );
  // Its supervisor sends it once more, since nothing was measured.
  expect(results.map(({ data }) => data['status'])).toEqual(['timeout', 'timeout']);
});
