import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_TRIES } from '../../src/domain/provider/attempts.js';
import { RETRY } from '../../src/domain/provider/retry-policy.js';
import { ModelCalls } from '../../src/models/calls/model-calls.js';
import { ModelLimiter } from '../../src/models/calls/model-limiter.js';
import type { LimiterOptions } from '../../src/models/calls/limiter-types.js';
import type { ModelEntry } from '../../src/models/models.js';
import {
  answer,
  begin,
  inTurn,
  pause,
  refuse,
  silence,
  startProviderServer,
  type ProviderServer,
  type Reply,
} from '../support/models/provider-server.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';
import { entryAt, request } from '../support/models/model-entry.js';
import { turn } from '../support/model-turn.js';

let corner: TestRedis;
let server: ProviderServer;
beforeEach(async () => {
  corner = testRedis();
  server = await startProviderServer();
});
afterEach(async () => {
  await server.close();
  await corner.close();
});

const entry = (name: string, more: Partial<ModelEntry> = {}) => entryAt(server.url, name, more);
/** Creates the instance of one process. @param now ms since 1970 */
const calls = (limits: Partial<LimiterOptions> = {}, now: () => number = Date.now) =>
  new ModelCalls(new ModelLimiter(corner.redis, corner.prefix, { parkMs: 50, ...limits }), {
    now,
    random: () => 0,
    retry: { ...RETRY, baseMs: 20 },
  });

/** Waits until the limiter has recorded the pause that a provider asks for. */
const untilHeld = () =>
  until('the hold', async () => (await corner.redis.keys(`*${corner.prefix}*hold`)).length > 0);

describe('calls of a model', () => {
  it('of thirteen agents never exceed two at a time, though the provider refuses a third of them', async () => {
    const processes = [calls(), calls(), calls()];
    const chain = [entry('m', { limits: { concurrency: 2 } })];
    server.otherwise = (exchange) =>
      inTurn(
        pause(15),
        exchange.number % 3 === 0 ? refuse(429) : answer({ text: 'Done.' }),
      )(exchange);
    const turns = Array.from({ length: 39 }, (_, i) =>
      turn(processes[i % 3] as ModelCalls, chain, { id: `a${i}`, priority: i % 3 }),
    );
    const done = await Promise.all(turns);
    expect(done.map(({ text }) => text)).toEqual(Array(39).fill('Done.'));
    expect(server.mostOpen).toBe(2);
    expect(server.exchanges.length).toBeGreaterThan(50);
  });

  it('are not executed if they are text and the model has made a native call in another process', async () => {
    const tool = {
      type: 'function' as const,
      name: 'look',
      inputSchema: { type: 'object' as const, properties: { node: {} } },
    };
    const text = '<tool_call>{"name":"look","arguments":{"node":"shop"}}</tool_call>';
    const called = async () => {
      const chain = [entry('m')];
      const { signal } = new AbortController();
      const caller = { id: 'a', priority: 0, deadline: Date.now() + 300_000, signal };
      const begun = await calls().begin(chain, NO_TRIES, caller);
      if (begun.kind !== 'go') throw new Error(begun.kind);
      const tools: string[] = [];
      for await (const part of begun.attempt.stream({ ...request('Look.'), tools: [tool] }, signal))
        if (part.type === 'tool-call') tools.push(part.tool);
      return tools;
    };
    server.otherwise = answer({ text }, { end: 'stop' });
    expect(await called()).toEqual(['look']);
    server.script(answer({ call: 'look', args: '{"node":"shop"}' }));
    expect(await called()).toEqual(['look']);
    expect(await called()).toEqual([]);
  });

  it('begin with those of supervisors', async () => {
    const one = calls();
    const chain = [entry('m', { limits: { concurrency: 1 } })];
    const inLine = () => corner.redis.zcard(`${corner.prefix}:{model:m}:queue`);
    server.script(
      inTurn(
        () => until('all in line', async () => (await inLine()) === 4).then(() => undefined),
        answer({ text: 'Done.' }),
      ),
    );
    const turns = [turn(one, chain, { id: 'first' })];
    await until('the first call', () => server.exchanges.length === 1);
    for (const [id, priority] of Object.entries({ worker1: 2, worker2: 2, team: 1, top: 0 })) {
      turns.push(turn(one, chain, { id, priority }));
      await sleep(5);
    }
    await Promise.all(turns);
    const asked = server.exchanges.map(
      ({ body }) => JSON.stringify(body['messages']).match(/first|worker\d|team|top/)?.[0],
    );
    expect(asked).toEqual(['first', 'top', 'team', 'worker1', 'worker2']);
  });

  it('all wait if the provider asks one of them to wait', async () => {
    const calledAt: number[] = [];
    server.script(refuse(429, { headers: { 'retry-after-ms': '2000' } }));
    server.otherwise = (exchange) => {
      calledAt.push(performance.now());
      return answer({ text: 'Done.' })(exchange);
    };
    const one = calls();
    const other = calls();
    const chain = [entry('m')];
    const started = performance.now();
    const refused = turn(one, chain, { id: 'a' });
    await untilHeld();
    await Promise.all([refused, ...['b', 'c', 'd'].map((id) => turn(other, chain, { id }))]);
    expect(calledAt).toHaveLength(4);
    expect(Math.min(...calledAt) - started).toBeGreaterThanOrEqual(1_990);
    expect((await refused).waits).toEqual([2_000]);
  });

  it.each([
    ['0', { 'retry-after': '0' }],
    [
      'a date that is over',
      { 'retry-after': 'Thu, 01 Jan 2026 12:00:00 GMT', date: 'Thu, 01 Jan 2026 12:00:09 GMT' },
    ],
  ])('wait also if Retry-After is %s', async (_, headers) => {
    const busy = refuse(429, { headers });
    server.script(busy, busy, busy);
    expect((await turn(calls(), [entry('m')])).waits).toEqual([10, 20, 40]);
  });

  it('obey a long Retry-After for a bounded time, then one call tests the provider', async () => {
    const hour = refuse(429, { headers: { 'retry-after': '3600' } });
    let allow = () => {};
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    const slow = inTurn(() => allowed, answer({ text: 'Well.' }));
    server.script(hour, hour, slow);
    const one = calls({ maxHoldMs: 2_000 });
    const other = calls({ maxHoldMs: 2_000 });
    const chain = [entry('m')];
    const first = turn(one, chain, { id: 'a' });
    await untilHeld();
    const rest = ['b', 'c', 'd'].map((id, i) => turn(i === 0 ? one : other, chain, { id }));
    // The first test is refused again: one more pause, and one more test.
    await until('the second test', () => server.exchanges.length >= 3);
    // The other callers ask again at least once while the test is under way.
    await sleep(1_200);
    expect(server.exchanges).toHaveLength(3);
    expect(server.mostOpen).toBe(1);
    allow();
    await Promise.all([first, ...rest]);
    expect(server.exchanges).toHaveLength(6);
    expect(await corner.redis.keys(`*${corner.prefix}*probe`)).toEqual([]);
  });

  it('use a fallback at once while the provider of the first model asks for a pause', async () => {
    server.script(refuse(429, { headers: { 'retry-after': '3600' } }));
    const chain = [entry('big'), entry('small')];
    const one = calls();
    const other = calls();
    const first = await turn(one, chain, { id: 'a' });
    const second = await turn(other, chain, { id: 'b' });
    expect([first, second]).toMatchObject([
      { model: 'small', waits: [0] },
      { model: 'small', waits: [] },
    ]);
    expect(server.exchanges.map(({ body }) => body.model)).toEqual(['big', 'small', 'small']);
  });

  it('do not wait past the deadline', async () => {
    server.script(refuse(429, { headers: { 'retry-after': '30' } }));
    const chain = [entry('m')];
    await expect(turn(calls(), chain, { ms: 5_000 })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
    });
    // The next caller sees the same pause and does not call the provider.
    await expect(turn(calls(), chain, { ms: 5_000, id: 'b' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: /for 30 s/,
    });
    expect(server.exchanges).toHaveLength(1);
    expect(
      await turn(calls(), [chain[0] as ModelEntry, entry('small')], { ms: 5_000, id: 'c' }),
    ).toMatchObject({ model: 'small' });
  });

  it('of all processes use the fallback while the breaker is open, and return afterwards', async () => {
    const chain = [entry('big'), entry('small')];
    let healthy = false;
    server.otherwise = (exchange) =>
      exchange.body.model === 'big' && !healthy
        ? refuse(529)(exchange)
        : answer({ text: 'Done.' })(exchange);
    const breaker = { failures: 5, openMs: 600_000, maxOpenMs: 600_000, trialMs: 60_000 };
    let passed = 0;
    const processes = [1, 2].map(() => calls({ breaker }, () => Date.now() + passed));
    const [one, other] = processes as [ModelCalls, ModelCalls];
    const models = () => server.exchanges.splice(0).map(({ body }) => body.model);
    expect(await turn(one, chain)).toMatchObject({ model: 'small' });
    expect(models()).toEqual(['big', 'big', 'big', 'big', 'big', 'small']);
    // The other process has not called the model yet, but sees the open breaker.
    expect(await turn(other, chain)).toMatchObject({ model: 'small', waits: [] });
    expect(models()).toEqual(['small']);
    healthy = true;
    passed = 600_000;
    await corner.redis.hset(`${corner.prefix}:{model:big}:breaker`, 'until', Date.now());
    expect(await turn(other, chain)).toMatchObject({ model: 'big' });
    models();
    for (const of of processes) expect(await turn(of, chain)).toMatchObject({ model: 'big' });
    expect(models()).toEqual(['big', 'big']);
  });

  it('use a model whose breaker is open if there is no other', async () => {
    server.script(...Array<Reply>(6).fill(refuse(529)));
    const breaker = { failures: 3, openMs: 60_000, maxOpenMs: 60_000, trialMs: 60_000 };
    expect(await turn(calls({ breaker }), [entry('m')])).toMatchObject({ text: 'Done.' });
    expect(server.exchanges).toHaveLength(7);
  });

  it('use the fallback at once if the key is refused', async () => {
    server.script(refuse(401));
    expect(await turn(calls(), [entry('big'), entry('small')])).toMatchObject({
      model: 'small',
      waits: [0],
    });
  });

  it('end with the last error if all attempts are used up', async () => {
    server.otherwise = refuse(500);
    await expect(turn(calls(), [entry('m')])).rejects.toMatchObject({
      code: 'AI_ERROR',
      retryable: true,
    });
    expect(server.exchanges).toHaveLength(4);
  });

  it.each([
    ['in the middle of an answer', begin({ text: 'All is' })],
    ['before one', silence],
  ])('release their lease if they are cancelled %s', async (_, reply) => {
    server.script(reply);
    const chain = [entry('m', { limits: { concurrency: 1 } })];
    const stop = new AbortController();
    const going = turn(calls(), chain, { signal: stop.signal });
    await until('the call', () => server.open === 1);
    const reason = new Error('cancelled');
    stop.abort(reason);
    await expect(going).rejects.toBe(reason);
    expect((await new ModelLimiter(corner.redis, corner.prefix).inspect(entry('m'))).calls).toBe(0);
    expect(await turn(calls(), chain, { id: 'b' })).toMatchObject({ text: 'Done.' });
  });
});
