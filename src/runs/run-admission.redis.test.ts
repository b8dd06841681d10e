import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { spec, started } from '../../test/support/incidents/drafts.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import type { Config } from '../config/config.js';
import type { DraftEvent } from '../domain/events/event.js';
import { headOf, ownerOfDiagnoses } from '../domain/run.js';
import { MemoryLog } from '../event-log/memory-log.js';
import { RunIndex } from '../event-log/run-index.js';
import { runOrderKey, tenantKeys } from '../redis/keys.js';
import { RunAdmission } from './run-admission.js';
import { RunOrder } from './run-order.js';

let own: TestRedis;
let log: MemoryLog;
let index: RunIndex;
beforeEach(() => {
  own = testRedis();
  log = new MemoryLog();
  index = new RunIndex(own.redis, { redisPrefix: own.prefix } as Config, Date);
});
afterEach(() => {
  jest.restoreAllMocks();
  return own.close();
});

const admission = (limits: Partial<Config>) => {
  const off = { auth: 'keys', maxOpenRuns: 0, tokensPerDay: 0, costPerDay: 0 };
  const config = { redisPrefix: own.prefix, ...off, ...limits } as Config;
  return new RunAdmission(
    own.redis,
    config,
    log,
    index,
    new RunOrder(own.redis, config, index, log),
  );
};
const headOfTenant = (tenant: string) => ({
  ...headOf(spec),
  owner: ownerOfDiagnoses(tenant),
  numbers: 1,
});
const enter = (to: RunAdmission, runId: string, tenant = 'acme') =>
  to.enter(runId, headOfTenant(tenant));
const begin = (runId: string) => log.create(runId, spec, [started]);

async function end(runId: string, tokens = 0, cost = 0): Promise<void> {
  const usage = { input_tokens: tokens, output_tokens: 0, total_tokens: tokens };
  const data = { summary: '', report: null, partial: false, reasons: [], usage };
  const model = { model: 'm', ...usage, cost, context_tokens: 1, max_context_tokens: 2 };
  const used = {
    name: 'llm.usage',
    source: null,
    data: { ...model, finish_reason: 'stop', dispatch_id: null, turn: 1, attempt: 1 },
  } as unknown as DraftEvent;
  await log.claim(runId, 'head');
  await log.append(runId, { writer: 'head', epoch: 1, step: 1, events: [used] });
  await log.seal(runId, () => ({ name: 'lifecycle.completed', source: null, data }));
}

it('refuses the run that is one too many, and enters it when one has ended', async () => {
  const limited = admission({ maxOpenRuns: 2 });
  for (const runId of ['a', 'b']) {
    await enter(limited, runId);
    await begin(runId);
  }
  await expect(enter(limited, 'c')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    options: { retryAfterSeconds: 5, details: { limit: 2, usage: 2 } },
  });
  expect((await index.open()).map(({ runId }) => runId)).toEqual(['a', 'b']);
  await enter(limited, 'x', 'globex');
  await end('a');
  await enter(limited, 'c');
});

it('lets no more in if many come at once', async () => {
  const limited = admission({ maxOpenRuns: 5 });
  const all = await Promise.allSettled(
    Array.from({ length: 40 }, (_, i) => enter(limited, `r${i}`)),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});

it('enters a run again that was accepted before', async () => {
  const limited = admission({ maxOpenRuns: 1 });
  await enter(limited, 'a');
  await begin('a');
  await enter(limited, 'a');
  await end('a');
  await enter(limited, 'b');
  await begin('b');
  await enter(limited, 'a');
  expect(await own.redis.zcard(tenantKeys(own.prefix, 'acme').open)).toBe(1);
});

it('gives a run that is accepted again the place that it has, and draws no number for it', async () => {
  const open = admission({});
  const first = await enter(open, 'a');
  const head = headOfTenant('acme');
  expect(first).toEqual({ order: 1 });
  await log.create('a', { ...spec, ...first, owner: head.owner }, [started]);
  const again = await Promise.all(Array.from({ length: 60 }, () => enter(open, 'a')));
  expect(again).toEqual(Array(60).fill({ order: 1 }));
  await end('a');
  expect(await enter(open, 'a')).toEqual({ order: 1 });
  expect(await enter(open, 'b')).toEqual({ order: 2 });
});

it('leaves a run without a place that was accepted without one', async () => {
  await begin('a');
  expect(await enter(admission({}), 'a')).toEqual({});
  expect(await own.redis.exists(runOrderKey(own.prefix, 'diagnosis'))).toBe(0);
});

it('forgets an entry whose process died before it wrote a log', async () => {
  const limited = admission({ maxOpenRuns: 1 });
  await own.redis.zadd(tenantKeys(own.prefix, 'acme').open, Date.now() - 61_000, 'lost');
  await enter(limited, 'a');
});

it.each([
  ['an hour ahead', -3_600_000],
  ['an hour behind', 3_600_000],
  ['a day ahead', -86_400_000],
])('decides by the clock of Redis in a process whose clock is %s', async (_, behind) => {
  const now = Date.now() + behind;
  jest.spyOn(index, 'now').mockReturnValue(now);
  const limited = admission({ maxOpenRuns: 1, tokensPerDay: 100 });
  const { open, usage } = tenantKeys(own.prefix, 'acme');
  // Another process has entered it just now, and has not written its log yet.
  await own.redis.zadd(open, now, 'new');
  await expect(enter(limited, 'a')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await own.redis.zadd(open, now - 61_000, 'new');
  await enter(limited, 'a');
  expect(await own.redis.zscore(open, 'a')).toBe(String(now));
  await log.create('a', { ...spec, owner: headOfTenant('acme').owner }, [started]);
  await end('a', 60);
  await limited.beforeClose('a');
  const day = new Date(now).toISOString().slice(0, 10);
  expect(await own.redis.hget(usage(day), 'tokens')).toBe('60');
});

it.each([
  ['tokens', { tokensPerDay: 100 }, { limit: 100, usage: 110 }],
  ['cost', { costPerDay: 1 }, { limit: 1, usage: 1.25 }],
])('counts the %s of a day, those of open runs included', async (what, limits, details) => {
  const limited = admission(limits);
  await enter(limited, 'a');
  await begin('a');
  await end('a', 60, 0.75);
  await enter(limited, 'b');
  await begin('b');
  await end('b', 50, 0.5);
  await expect(enter(limited, 'c')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining(`${what} of today (${details.limit})`) as unknown,
    options: { details, limit: what },
  });
  await enter(limited, 'c', 'globex');
});

it('counts a run to its day when it ends, and it is not open any more', async () => {
  const limited = admission({ maxOpenRuns: 1, tokensPerDay: 100 });
  await enter(limited, 'a');
  await log.create('a', { ...spec, owner: headOfTenant('acme').owner }, [started]);
  await limited.beforeClose('a');
  const { open, usage } = tenantKeys(own.prefix, 'acme');
  expect(await own.redis.zcard(open)).toBe(1);
  await end('a', 60, 0.75);
  for (const _ of [1, 2]) await limited.beforeClose('a');
  expect(await own.redis.zcard(open)).toBe(0);
  const day = new Date().toISOString().slice(0, 10);
  expect(await own.redis.hgetall(usage(day))).toEqual({ tokens: '60', cost: '0.75' });
  await limited.beforeClose('unknown');
});

it.each([
  ['before it knows that the run is known', () => jest.spyOn(log, 'state')],
  ['before the run has left again', () => jest.spyOn(own.redis, 'zrem')],
])('counts a run once that is triggered again after its end, and killed %s', async (_, kill) => {
  const limited = admission({ tokensPerDay: 1_000 });
  await enter(limited, 'a');
  await log.create('a', { ...spec, owner: headOfTenant('acme').owner }, [started]);
  await end('a', 60);
  await limited.beforeClose('a');
  const { open, usage } = tenantKeys(own.prefix, 'acme');
  const day = new Date().toISOString().slice(0, 10);
  const killed = kill().mockRejectedValueOnce(new Error('killed'));
  await expect(enter(limited, 'a')).rejects.toThrow('killed');
  killed.mockRestore();
  await enter(limited, 'b');
  expect(await own.redis.hget(usage(day), 'tokens')).toBe('60');
  expect(await own.redis.zrange(open, '0', '-1')).toContain('b');
});

it('does not count a run that is refused, and leaves one that is known where it was', async () => {
  const limited = admission({ maxOpenRuns: 1 });
  await enter(limited, 'a');
  await begin('a');
  await expect(enter(limited, 'b')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await enter(limited, 'a');
  const { open } = tenantKeys(own.prefix, 'acme');
  expect(await own.redis.zrange(open, '0', '-1')).toEqual(['a']);
});

it('waits for Redis twice: each wait is for two answers', async () => {
  const limited = admission({ maxOpenRuns: 10 });
  const until = async (isSo: () => Promise<unknown>) => {
    while (!(await isSo())) await nextTurn();
  };
  const { open } = tenantKeys(own.prefix, 'acme');
  log.state = async () => {
    await until(() => own.redis.zscore(open, '?a'));
    return undefined;
  };
  jest.spyOn(RunOrder.prototype, 'next').mockImplementationOnce(async () => {
    await until(async () => (await index.open()).length > 0);
    return 3;
  });
  expect(await enter(limited, 'a')).toEqual({ order: 3 });
});

it('waits for Redis once for a run that is new', async () => {
  const limited = admission({ maxOpenRuns: 10, tokensPerDay: 100 });
  const { open } = tenantKeys(own.prefix, 'acme');
  jest.spyOn(log, 'state').mockRejectedValue(new Error('nothing asks for a log'));
  jest.spyOn(RunOrder.prototype, 'next').mockImplementationOnce(async () => {
    while ((await own.redis.zscore(open, 'a')) === null) await nextTurn();
    while ((await index.open()).length === 0) await nextTurn();
    return 3;
  });
  expect(await limited.enter('a', headOfTenant('acme'), true)).toEqual({ order: 3 });
});

it('asks for the states of the runs that were open before while it enters another', async () => {
  const limited = admission({ maxOpenRuns: 10, tokensPerDay: 100 });
  const enterNew = (runId: string) => limited.enter(runId, headOfTenant('acme'), true);
  for (const runId of ['a', 'b']) {
    await enterNew(runId);
    await begin(runId);
    await end(runId, 40);
  }
  const { open } = tenantKeys(own.prefix, 'acme');
  const asked = jest.spyOn(log, 'state');
  const entered = enterNew('c');
  // The first was settled when the second was entered.
  expect(asked.mock.calls).toEqual([['b']]);
  await entered;
  await begin('c');
  await end('c', 20);
  // Of those that have ended, one is counted by its log and the others by the day: none twice, and
  // none not at all.
  await expect(enterNew('d')).rejects.toMatchObject({ options: { details: { usage: 100 } } });
  while ((await own.redis.zcard(open)) > 0) await nextTurn();
});

it('takes back what it has entered of a new run that it refuses', async () => {
  const limited = admission({ maxOpenRuns: 2 });
  const enterNew = (runId: string) => limited.enter(runId, headOfTenant('acme'), true);
  const all = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => enterNew(`r${i}`)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  const { open } = tenantKeys(own.prefix, 'acme');
  expect((await own.redis.zrange(open, '0', '-1')).length).toBe(2);
  expect((await index.open()).length).toBe(2);
  expect(await index.page({ tenant: 'acme' }, undefined, 10)).toHaveLength(2);
});

it('gives the number of a refused run to the next one', async () => {
  const limited = admission({ maxOpenRuns: 1 });
  const enterNew = (runId: string) => limited.enter(runId, headOfTenant('acme'), true);
  expect(await enterNew('a')).toEqual({ order: 1 });
  await begin('a');
  for (let i = 0; i < 5; i++) await expect(enterNew(`b${i}`)).rejects.toThrow('open runs');
  await end('a');
  expect(await enterNew('c')).toEqual({ order: 2 });
});

it('has numbers and no limits without authentication', async () => {
  const open = admission({ auth: 'none', maxOpenRuns: 1 });
  for (const [i, runId] of ['a', 'b', 'c'].entries())
    expect(await enter(open, runId, 'default')).toEqual({ order: i + 1 });
  expect(await own.redis.exists(tenantKeys(own.prefix, 'default').open)).toBe(0);
});

it('tells the highest share of a limit that was used, once', async () => {
  const limited = admission({ maxOpenRuns: 4, tokensPerDay: 100 });
  await enter(limited, 'a');
  await begin('a');
  await end('a', 30);
  await enter(limited, 'b');
  await enter(limited, 'c', 'other');
  expect(limited.takeUsed()).toEqual(
    new Map([
      ['tokens', 0.3],
      ['open_runs', 0.25],
    ]),
  );
  expect(limited.takeUsed()).toEqual(new Map());
});
