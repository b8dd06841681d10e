import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelLimiter } from '../../src/models/calls/model-limiter.js';
import type { LimitedModel, LimiterOptions } from '../../src/models/calls/limiter-types.js';
import { builtFile } from '../support/processes/built.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';
import { asked, granted, inTime, two } from '../support/memory/limiters.js';

/** Starts a process that takes leases and renews them until it is killed. */
const holder = (): string => `
import { Redis } from 'ioredis';
import { ModelLimiter } from '${builtFile('src/models/calls/model-limiter.ts')}';
const [url, prefix, leaseMs, ...ids] = process.argv.slice(1);
const limiter = new ModelLimiter(new Redis(url), prefix, { leaseMs: Number(leaseMs) });
for (const id of ids) {
  const model = { name: 'm', limits: { concurrency: 2 } };
  const entered = await limiter.acquire(model, { id, priority: 0 });
  process.stdout.write(id + ' ' + entered.kind + '\\n');
}
setInterval(() => undefined, 1_000);
`;

let corner: TestRedis;
beforeEach(() => {
  corner = testRedis();
});
afterEach(() => corner.close());

/** Creates the limiter of one process. */
const limiter = (options: Partial<LimiterOptions> = {}) =>
  new ModelLimiter(corner.redis, corner.prefix, options);

async function redisNow(): Promise<number> {
  const [seconds, microseconds] = await corner.redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** Resolves when a signal fires, or at once if it has already fired. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );

it('passes on to other processes that a model has made native calls, until its name gets another model', async () => {
  const one = limiter();
  const other = limiter();
  const model = { ...two, modelId: 'some-model' };
  const first = await granted(one, 'a', model);
  const second = await granted(one, 'b', model);
  expect(first.makesNativeCalls).toBe(false);
  await first.release('ok', 0, true);
  await second.release('ok');
  expect((await granted(other, 'c', model)).makesNativeCalls).toBe(true);
  expect((await granted(other, 'd', { ...model, modelId: 'another' })).makesNativeCalls).toBe(
    false,
  );
});

it('shows how it stands without a change', async () => {
  const of = limiter({
    breaker: { failures: 1, openMs: 60_000, maxOpenMs: 60_000, trialMs: 1_000 },
  });
  const idle = { calls: 0, waiting: 0, startedInMinute: 0, heldUntil: null };
  const closed = { state: 'closed', failures: 0, until: null };
  expect(await of.inspect(two)).toEqual({ ...idle, breaker: closed });
  const lease = await granted(of, 'a');
  await granted(of, 'b');
  await asked(of, 'c');
  expect(await of.inspect(two)).toEqual({ ...idle, calls: 2, waiting: 1, breaker: closed });
  await lease.release('failed', 30_000);
  const broken = await of.inspect(two);
  expect(broken).toMatchObject({ calls: 1, breaker: { state: 'open' } });
  expect(broken.breaker.until).toBeGreaterThan(Date.now());
  expect(broken.heldUntil).toBeGreaterThan(Date.now());
});

describe('the limiter of a model', () => {
  it('limits concurrent calls over all processes', async () => {
    const processes = [limiter(), limiter(), limiter()];
    let now = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const lease = await inTime(processes[i % 3] as ModelLimiter, `c${i}`);
        most = Math.max(most, ++now);
        await sleep(5 + (i % 7));
        now--;
        await lease.release();
      }),
    );
    expect(most).toBe(2);
  });

  it('admits callers of one priority by their order', async () => {
    const model: LimitedModel = { name: 'm', limits: { concurrency: 1 } };
    const one = limiter();
    const first = await granted(one, 'first', model);
    for (const [id, order] of Object.entries({ late: 900, next: 11, early: 10 }))
      await one.acquire(model, { id, priority: 1, order });
    await one.acquire(model, { id: 'chat', priority: 0, order: 5_000 });
    const order: string[] = [];
    for (let { next } = await first.release(); next.length > 0;) {
      const [id = ''] = next;
      order.push(id);
      ({ next } = await (await granted(one, id, model)).release());
    }
    expect(order).toEqual(['chat', 'early', 'next', 'late']);
  });

  it('admits supervisors before workers, then by arrival', async () => {
    const one = limiter();
    const other = limiter();
    const model: LimitedModel = { name: 'm', limits: { concurrency: 1 } };
    const first = await granted(one, 'first', model);
    const priorities: Record<string, number> = { w1: 2, w2: 2, t1: 1, w3: 2, g: 0, t2: 1 };
    for (const [i, [id, priority]] of Object.entries(priorities).entries()) {
      expect(await asked(i % 2 === 0 ? one : other, id, model, priority)).toMatchObject({
        kind: 'wait',
        why: 'busy',
      });
      // Callers of the same millisecond arrive at the same time.
      await sleep(2);
    }
    const order: string[] = [];
    for (let { next } = await first.release(); next.length > 0;) {
      expect(next).toHaveLength(1);
      const [id = ''] = next;
      // Other callers may ask before the one that was woken. They are not admitted.
      expect((await asked(one, order.includes('w2') ? id : 'w3', model, 2)).kind).toBe(
        id === 'w3' ? 'granted' : 'wait',
      );
      const lease = await granted(other, id, model, priorities[id]);
      order.push(id);
      ({ next } = await lease.release());
    }
    expect(order).toEqual(['g', 't1', 't2', 'w1', 'w2', 'w3']);
  });

  it('reports which caller waits, and which may start when a call ends', async () => {
    const one = limiter();
    const other = limiter();
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    expect(await asked(other, 'worker', two, 2)).toMatchObject({ kind: 'wait' });
    expect(await asked(other, 'supervisor', two, 0)).toMatchObject({ kind: 'wait' });
    expect(await a.release()).toEqual({ next: ['supervisor'], openMs: 0 });
    // A worker is not admitted before the caller that was woken.
    expect(await asked(other, 'worker', two, 2)).toMatchObject({ kind: 'wait' });
    expect(await asked(other, 'supervisor', two, 0)).toMatchObject({ kind: 'granted' });
  });

  it.each([
    ['when it was to ask again', false, 660_000],
    ['when it was called', true, 60_000],
  ])('drops a caller that does not ask %s', async (_, called, placeMs) => {
    const one = limiter({ parkMs: 600_000, slackMs: 60_000 });
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    await asked(one, 'gone', two, 0);
    expect((await asked(one, 'worker', two, 2)).kind).toBe('wait');
    if (called) expect((await a.release()).next).toEqual(['gone']);
    const waiting = `${corner.prefix}:{model:m}:waiting`;
    const keptUntil = Number(await corner.redis.zscore(waiting, 'gone'));
    expect(keptUntil).toBeLessThanOrEqual((await redisNow()) + placeMs);
    expect((await asked(one, 'worker', two, 2)).kind).toBe('wait');
    // As if that time had passed.
    await corner.redis.zadd(waiting, 'XX', 1, 'gone');
    if (!called) await a.release();
    await granted(one, 'worker', two, 2);
  });

  it('removes a caller that gives up its place', async () => {
    const one = limiter();
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    await asked(one, 'c', two, 0);
    await one.leaveQueue(two, 'c');
    expect((await a.release()).next).toEqual([]);
    await granted(one, 'd');
  });

  it('reports at any time which callers may start', async () => {
    const one = limiter();
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    await asked(one, 'c');
    expect((await one.nextCallers(two)).next).toEqual([]);
    await a.release();
    expect((await one.nextCallers(two)).next).toEqual(['c']);
  });

  it('reclaims the leases of a killed process only after they expire', async () => {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', holder(), corner.url, corner.prefix, '60000', 'x', 'y'],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    let said = '';
    while (!said.includes('y granted')) said += String((await once(child.stdout, 'data'))[0]);
    const one = limiter();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await asked(one, 'z')).toMatchObject({ kind: 'wait' });
    // As if the time of the leases had passed.
    await corner.redis.zadd(`${corner.prefix}:{model:m}:leases`, 'XX', 1, 'x', 1, 'y');
    const leases = await Promise.all(['z', 'z2'].map((id) => inTime(one, id)));
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it('renews a lease before it expires', async () => {
    const lease = await granted(limiter({ leaseMs: 2_000 }), 'a');
    const expiry = async () =>
      Number(await corner.redis.zscore(`${corner.prefix}:{model:m}:leases`, 'a'));
    const first = await expiry();
    await until('two renewals', async () => (await expiry()) >= first + 1_000);
    expect(lease.lost.aborted).toBe(false);
  });

  it('transfers a lease to the next process of the same caller, and stops the previous process', async () => {
    const one = limiter({ leaseMs: 2_000 });
    const other = limiter({ leaseMs: 2_000 });
    const before = await granted(one, 'a');
    await granted(one, 'b');
    const after = await granted(other, 'a');
    await aborted(before.lost);
    expect((await before.release()).next).toEqual([]);
    expect(await asked(other, 'c')).toMatchObject({ kind: 'wait' });
    expect(after.lost.aborted).toBe(false);
  });

  it('signals a lost lease', async () => {
    const one = limiter({ leaseMs: 100 });
    const lease = await granted(one, 'a');
    corner.redis.disconnect();
    await aborted(lease.lost);
    await corner.redis.connect();
  });

  it('limits the calls that start in a minute', async () => {
    const one = limiter();
    const model: LimitedModel = { name: 'slow', limits: { requestsPerMinute: 3 } };
    for (const id of ['a', 'b', 'c']) await (await granted(one, id, model)).release();
    const entered = await asked(one, 'd', model);
    expect(entered).toMatchObject({ kind: 'wait' });
    expect(entered.kind === 'wait' && entered.ms > 55_000 && entered.ms <= 60_000).toBe(true);
  });

  it('admits no call during a pause that the provider asked for', async () => {
    const one = limiter();
    const free: LimitedModel = { name: 'free' };
    const leases = [await granted(one, 'x', free), await granted(one, 'y', free)];
    await leases[0]?.release('refused', 60_000);
    await leases[1]?.release('refused', 10);
    const entered = await asked(limiter(), 'a', free);
    expect(entered).toMatchObject({ kind: 'wait', why: 'hold' });
    const { ms } = entered as { ms: number };
    expect(ms > 10 && ms <= 60_000).toBe(true);
    const over = (await redisNow()) + 300;
    await corner.redis.set(`${corner.prefix}:{model:free}:hold`, over);
    await inTime(limiter(), 'a', free);
    expect(await redisNow()).toBeGreaterThanOrEqual(over);
  });

  it('separates models, and services with another prefix', async () => {
    const one = limiter();
    await Promise.all(['a', 'b'].map((id) => granted(one, id)));
    await granted(one, 'c', { name: 'other', limits: { concurrency: 1 } });
    await granted(new ModelLimiter(corner.redis, `${corner.prefix}-2`), 'c');
  });

  it('lets all its keys expire', async () => {
    await (
      await granted(limiter(), 'a', { name: 'm', limits: { concurrency: 1, requestsPerMinute: 5 } })
    ).release();
    const keys = await corner.redis.keys(`*${corner.prefix}*`);
    const lives = await Promise.all(keys.map((key) => corner.redis.pttl(key)));
    expect(lives.every((ms) => ms > 0 && ms <= 120_000)).toBe(true);
  });
});
