import { expect, it } from '@jest/globals';
import { expectValid, type CheckedEvent } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import {
  answer,
  begin,
  end,
  inTurn,
  type Exchange,
  type Reply,
} from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { healthy, httpTarget } from '../support/processes/target.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { until } from '../support/until.js';

const scene = modelScene();
const NODES = ['a', 'b', 'c', 'd'];
const nodeOf = ({ body }: Exchange): string =>
  /"node\\":\{\\"id\\":\\"(\w+)/.exec(JSON.stringify(body))?.[1] ?? '';

it('concurrent workers without an end stay within the budget, each gets its part, and the global supervisor concludes', async () => {
  const { server } = scene;
  const turns = new Map<string, number>();
  server.otherwise = (exchange) => {
    if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
    const node = nodeOf(exchange);
    const turn = (turns.get(node) ?? 0) + 1;
    turns.set(node, turn);
    const tool = turn % 2 === 0 ? 'tcp_probe' : 'http_probe';
    return answer(
      { call: tool, args: JSON.stringify({ node }) },
      { end: 'tool-calls', usage: [300, 200] },
    )(exchange);
  };
  const api = await scene.service({
    ...scene.models({ m: { maxOutputTokens: 200 } }),
    WORKER_CONCURRENCY: '8',
  });
  const nodes = Object.fromEntries(
    await Promise.all(
      NODES.map(async (id) => [id, await httpTarget(scene.targets, healthy)] as const),
    ),
  );
  const run = await api.trigger(await api.store(teamOfEach(nodes)), {
    limits: { tokenBudget: 12_000, maxIterations: 50 },
  });
  const events = expectValid((await run.end()).text);

  const last = events.at(-1);
  expect(last).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: true, reasons: expect.arrayContaining(['LIMIT_REACHED']) },
  });
  const { total_tokens } = last?.data['usage'] as { total_tokens: number };
  // Workers' part ends at 9,600.
  expect(total_tokens).toBeGreaterThan(8_000);
  expect(total_tokens).toBeLessThanOrEqual(12_000);
  const coded = (code: string) =>
    events.filter(({ data }) => data['code'] === code && data['limit_type'] === 'token');
  expect([coded('LIMIT_WARNING').length, coded('LIMIT_REACHED').length]).toEqual([
    total_tokens >= 9_600 ? 1 : 0,
    total_tokens >= 12_000 ? 2 : 1,
  ]);
  // Half of the workers' part is shared out: each gets a turn, also one that begins when the others
  // have ended. It may be the only one, since the last call of each of the others may take more
  // than was left of its part.
  expect([...turns.keys()].sort()).toEqual(NODES);
  // The head was asked for its conclusion, behind all workers.
  const roles = server.exchanges.map(roleOf);
  expect(roles.at(-1)).toBe('global_supervisor');
});

/** 400 tokens, by their length; then the connection ends. */
const LONG = 'so much '.repeat(200);
const cutOff: Reply = inTurn(begin({ text: LONG }), end);
const usages = (events: CheckedEvent[]) =>
  events.filter(({ key }) => key === 'llm.usage').map(({ data }) => data);
const tokensOf = ({ input_tokens, output_tokens }: CheckedEvent['data']) =>
  Number(input_tokens) + Number(output_tokens);

it('counts an attempt that broke off before the next attempt begins', async () => {
  const { server } = scene;
  const api = await scene.service(scene.models({ m: { prices: { input: 1, output: 2 } } }));
  const budgets: string[] = [];
  const looking: Reply = async (exchange) => {
    const { redis, prefix } = scene.scene.redis;
    const [key = ''] = await redis.keys(`*${prefix}*:budget`);
    budgets.push((await redis.hget(key, 'top')) ?? '');
    return runbookReply(exchange);
  };
  server.otherwise = runbookReply;
  server.script(cutOff, looking);
  const events = await scene.diagnose(api, await scene.shop());
  const [broken, whole] = usages(events) as [CheckedEvent['data'], CheckedEvent['data']];
  expect(broken).toMatchObject({
    turn: 1,
    attempt: 1,
    output_tokens: 400,
    finish_reason: 'error',
    estimated: true,
  });
  expect(broken['input_tokens']).toBeGreaterThan(100);
  expect(broken['cost']).toBeCloseTo((Number(broken['input_tokens']) + 2 * 400) / 1e6, 8);
  expect(whole).toMatchObject({ turn: 1, attempt: 2, input_tokens: 10, output_tokens: 5 });
  expect(whole).not.toHaveProperty('estimated');
  // During the second attempt: its reservation, and the tokens of the first attempt.
  const [reserved, used] = (budgets[0] ?? '').split(':').map(Number);
  expect(used).toBe(tokensOf(broken));
  expect(reserved).toBeGreaterThan(4_096);
  expect(reserved).toBeLessThan(8_000);
  const total = usages(events).reduce((sum, data) => sum + tokensOf(data), 0);
  expect(events.at(-1)?.data).toMatchObject({ partial: false, usage: { total_tokens: total } });
});

it('the tokens of attempts that broke off are not available to the next attempt', async () => {
  const { server } = scene;
  const api = await scene.service(scene.models({ m: { maxOutputTokens: 500 } }));
  server.otherwise = (exchange) =>
    (roleOf(exchange) === 'worker' ? cutOff : runbookReply)(exchange);
  const limits = { tokenBudget: 4_000 };
  const events = await scene.diagnose(api, await scene.shop(), limits);
  const broken = usages(events).filter((data) => data['finish_reason'] === 'error');
  const each = tokensOf(broken[0] ?? {});
  // Of four attempts that it would have, as many as its part of the budget allows: the last one may
  // take more than there was.
  expect(broken.length).toBe(Math.ceil(3_200 / each));
  expect(broken.length).toBeLessThan(4);
  const reached = events.filter(({ data }) => data['code'] === 'LIMIT_REACHED');
  expect(reached.map(({ data }) => data['limit_type'])).toEqual(['token']);
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: true, reasons: expect.arrayContaining(['LIMIT_REACHED']) },
  });
});

it('cuts the answer of a provider that ignores max_tokens', async () => {
  const { server } = scene;
  const api = await scene.service(scene.models({ m: {} }));
  const withoutEnd: Reply = async ({ response, frames, closed }) => {
    while (!response.destroyed)
      if (!response.write(frames.say({ text: LONG })))
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
  };
  server.otherwise = (exchange) =>
    (roleOf(exchange) === 'worker' ? inTurn(begin(), withoutEnd) : runbookReply)(exchange);
  const events = await scene.diagnose(api, await scene.shop(), { tokenBudget: 6_000 });
  const cut = usages(events).filter((data) => data['finish_reason'] === 'length');
  expect(cut.length).toBeGreaterThan(0);
  for (const { output_tokens } of cut) expect(output_tokens).toBeLessThan(2 * 4_096 + 2_000);
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: true, reasons: expect.arrayContaining(['LIMIT_REACHED']) },
  });
});

it('counts a call that the deadline cuts off', async () => {
  const { server } = scene;
  const api = await scene.service(scene.models({ m: {} }));
  server.otherwise = begin({ text: LONG });
  const events = await scene.diagnose(api, await scene.shop(), { timeoutSeconds: 10 });
  expect(usages(events)).toMatchObject([
    { turn: 1, attempt: 1, output_tokens: 400, finish_reason: 'aborted', estimated: true },
  ]);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: true } });
});

it('counts a call that another process takes over', async () => {
  const { server } = scene;
  const env = scene.models({ m: {} });
  const first = await scene.scene.process(env);
  server.otherwise = runbookReply;
  server.script(begin({ text: LONG }));
  const run = await first.api.accept(await first.api.store(await scene.shop()));
  await until('some text', async () =>
    (await first.api.ask('GET', `/executions/${run}/events`)).text.includes('so much'),
  );
  const second = await scene.service(env);
  await first.stop('SIGTERM');
  await second.reaches(run, 'completed');
  const [broken, whole] = usages(expectValid(await second.log(run)));
  expect(broken).toMatchObject({
    turn: 1,
    attempt: 1,
    output_tokens: 400,
    finish_reason: 'aborted',
  });
  expect(whole).toMatchObject({ turn: 1, attempt: 2 });
});
