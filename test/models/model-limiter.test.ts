import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelLimiter, type Lease, type LimitedModel, type LimiterOptions } from '../../src/models/model-limiter.js';
import { testRedis, type TestRedis } from '../support/redis.js';

/** A process that takes leases and keeps them until it is killed. */
const HOLDER = `
import { Redis } from 'ioredis';
import { ModelLimiter } from './src/models/model-limiter.ts';
const [url, prefix, leaseMs, ...ids] = process.argv.slice(1);
const limiter = new ModelLimiter(new Redis(url), prefix, { leaseMs: Number(leaseMs) });
for (const id of ids) {
  const model = { name: 'm', limits: { concurrency: 2 } };
  const entered = await limiter.enter(model, { id, priority: 0 }, 0, new AbortController().signal);
  process.stdout.write(id + ' ' + entered.kind + '\\n');
}
setInterval(() => undefined, 1_000);
`;

const never = new AbortController().signal;
const two: LimitedModel = { name: 'm', limits: { concurrency: 2 } };

let corner: TestRedis;
beforeEach(() => {
  corner = testRedis();
});
afterEach(() => corner.close());

/** One for each process that there would be. */
const limiter = (options: Partial<LimiterOptions> = {}) => new ModelLimiter(corner.redis, corner.prefix, { pollMs: 20, ...options });

async function granted(of: ModelLimiter, id: string, model = two, priority = 1, patienceMs = 10_000): Promise<Lease> {
  const entered = await of.enter(model, { id, priority }, patienceMs, never);
  if (entered.kind === 'wait') throw new Error(`${id} is to wait for ${entered.ms} ms`);
  return entered.lease;
}

const asked = (of: ModelLimiter, id: string, model = two, priority = 1) => of.enter(model, { id, priority }, 0, never);

/** Resolves when a signal has fired, also if it has already. */
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));

describe('the limiter of a model', () => {
  it('lets no more than so many in at a time, over all processes', async () => {
    const processes = [limiter(), limiter(), limiter()];
    let now = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const lease = await granted(processes[i % 3] as ModelLimiter, `c${i}`);
        most = Math.max(most, ++now);
        await sleep(5 + (i % 7));
        now--;
        await lease.release();
      }),
    );
    expect(most).toBe(2);
  });

  it('lets supervisors in before workers, and who came first before the others', async () => {
    const [one, other] = [limiter(), limiter()];
    const model: LimitedModel = { name: 'm', limits: { concurrency: 1 } };
    const first = await granted(one, 'first', model);
    const order: string[] = [];
    const waiting: Promise<void>[] = [];
    const come = (id: string, priority: number) =>
      waiting.push(
        granted(waiting.length % 2 === 0 ? one : other, id, model, priority).then(async (lease) => {
          order.push(id);
          await lease.release();
        }),
      );
    for (const [id, priority] of [
      ['w1', 2],
      ['w2', 2],
      ['t1', 1],
      ['w3', 2],
      ['g', 0],
      ['t2', 1],
    ] as const) {
      come(id, priority);
      await sleep(10);
    }
    await first.release();
    await Promise.all(waiting);
    expect(order).toEqual(['g', 't1', 't2', 'w1', 'w2', 'w3']);
  });

  it('tells who is to wait, and who may start when somebody ends', async () => {
    const [one, other] = [limiter(), limiter()];
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    expect(await asked(other, 'worker', two, 2)).toMatchObject({ kind: 'wait' });
    expect(await asked(other, 'supervisor', two, 0)).toMatchObject({ kind: 'wait' });
    expect(await a.release()).toEqual(['supervisor']);
    // A worker does not slip in before the one who was called.
    expect(await asked(other, 'worker', two, 2)).toMatchObject({ kind: 'wait' });
    expect(await asked(other, 'supervisor', two, 0)).toMatchObject({ kind: 'granted' });
  });

  it('forgets who does not come back for its place', async () => {
    const patient = limiter({ parkMs: 10 });
    const [a] = [await granted(patient, 'a'), await granted(patient, 'b')];
    await asked(patient, 'gone', two, 0);
    await a.release();
    expect((await asked(patient, 'worker', two, 2)).kind).toBe('wait');
    await granted(patient, 'worker', two, 2);
  });

  it('gives a place up when its holder is cancelled', async () => {
    const one = limiter();
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    const stop = new AbortController();
    const waiting = one.enter(two, { id: 'c', priority: 0 }, 10_000, stop.signal);
    await sleep(50);
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(await a.release()).toEqual([]);
    await granted(one, 'd', two, 1, 0);
  });

  it('takes leases back from a process that was killed, and not before they have run out', async () => {
    const child = spawn(
      process.execPath,
      ['--import', './scripts/ts.mjs', '--input-type=module', '-e', HOLDER, corner.url, corner.prefix, '3000', 'x', 'y'],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    let said = '';
    while (!said.includes('y granted')) said += String((await once(child.stdout, 'data'))[0]);
    const one = limiter();
    // It is alive: its leases are kept for longer than they last.
    await sleep(4_000);
    expect(await asked(one, 'z')).toMatchObject({ kind: 'wait' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await asked(one, 'z')).toMatchObject({ kind: 'wait' });
    const killed = performance.now();
    const leases = await Promise.all(['z', 'z2'].map((id) => granted(one, id)));
    expect(performance.now() - killed).toBeLessThan(8_000);
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it('hands a lease over to the next process that works for the same caller, and stops the one before', async () => {
    const [one, other] = [limiter({ leaseMs: 2_000 }), limiter({ leaseMs: 2_000 })];
    const before = await granted(one, 'a');
    await granted(one, 'b');
    const after = await granted(other, 'a', two, 1, 0);
    await aborted(before.lost);
    expect(await before.release()).toEqual([]);
    expect(await asked(other, 'c')).toMatchObject({ kind: 'wait' });
    expect(after.lost.aborted).toBe(false);
  });

  it('says when a lease is lost', async () => {
    const one = limiter({ leaseMs: 100 });
    const lease = await granted(one, 'a');
    corner.redis.disconnect();
    await aborted(lease.lost);
    await corner.redis.connect();
  });

  it('lets so many start in a minute', async () => {
    const one = limiter();
    const model: LimitedModel = { name: 'slow', limits: { requestsPerMinute: 3 } };
    for (const id of ['a', 'b', 'c']) await (await granted(one, id, model, 1, 0)).release();
    const entered = await asked(one, 'd', model);
    expect(entered).toMatchObject({ kind: 'wait' });
    expect(entered.kind === 'wait' && entered.ms > 55_000 && entered.ms <= 60_000).toBe(true);
  });

  it('lets nobody start while the provider wants to be left alone', async () => {
    const one = limiter();
    const free: LimitedModel = { name: 'free' };
    await one.hold(free, 300);
    await one.hold(free, 10);
    const entered = await asked(limiter(), 'a', free);
    expect(entered.kind === 'wait' && entered.ms > 200 && entered.ms <= 300).toBe(true);
    const started = performance.now();
    await granted(limiter(), 'a', free);
    expect(performance.now() - started).toBeGreaterThan(150);
  });

  it('keeps models, and services with another prefix, apart', async () => {
    const one = limiter();
    await Promise.all(['a', 'b'].map((id) => granted(one, id)));
    await granted(one, 'c', { name: 'other', limits: { concurrency: 1 } }, 1, 0);
    await granted(new ModelLimiter(corner.redis, `${corner.prefix}-2`), 'c', two, 1, 0);
  });

  it('leaves nothing behind for long', async () => {
    await (await granted(limiter(), 'a', { name: 'm', limits: { concurrency: 1, requestsPerMinute: 5 } })).release();
    const keys = await corner.redis.keys(`*${corner.prefix}*`);
    const lives = await Promise.all(keys.map((key) => corner.redis.pttl(key)));
    expect(lives.every((ms) => ms > 0 && ms <= 120_000)).toBe(true);
  });
});
