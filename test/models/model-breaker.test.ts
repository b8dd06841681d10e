import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelLimiter } from '../../src/models/calls/model-limiter.js';
import type {
  LimitedModel,
  LimiterOptions,
  LeaseOutcome,
} from '../../src/models/calls/limiter-types.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { asked, granted, inTime, two } from '../support/memory/limiters.js';

let corner: TestRedis;
beforeEach(() => {
  corner = testRedis();
});
afterEach(() => corner.close());

/** Creates the limiter of one process. */
const limiter = (options: Partial<LimiterOptions> = {}) =>
  new ModelLimiter(corner.redis, corner.prefix, options);

describe('the breaker of a model, of all processes', () => {
  const free: LimitedModel = { name: 'free' };
  const breaker = { failures: 3, openMs: 300, maxOpenMs: 700, trialMs: 60_000 };
  let processes: ModelLimiter[];
  beforeEach(() => {
    processes = [limiter({ breaker }), limiter({ breaker })];
  });
  let count = 0;
  /** Makes a call in one of the processes. Returns for how long the breaker is open after it. */
  async function call(outcome: LeaseOutcome): Promise<number> {
    const of = processes[++count % 2] as ModelLimiter;
    return (await (await granted(of, `c${count}`, free)).release(outcome)).openMs;
  }
  const fail = async (times: number) => {
    for (let i = 1; i < times; i++) expect(await call('failed')).toBe(0);
    return call('failed');
  };
  const states = () => Promise.all(processes.map((of, i) => asked(of, `s${i}`, free)));
  /** Returns the first call that is admitted. */
  const trial = (id = 't') => inTime(processes[++count % 2] as ModelLimiter, id, free);

  it('opens for all processes after consecutive failures', async () => {
    const settings = { breaker: { ...breaker, openMs: 600_000, maxOpenMs: 600_000 } };
    processes = [limiter(settings), limiter(settings)];
    expect(await fail(3)).toBe(600_000);
    for (const entered of await states()) expect(entered).toMatchObject({ kind: 'open' });
  });

  it.each(['ok', 'refused', 'abandoned'] as const)(
    'counts only failures in a row: %s',
    async (outcome) => {
      await fail(1);
      await call('failed');
      await call(outcome);
      expect((await call('failed')) > 0).toBe(outcome !== 'ok');
    },
  );

  it('admits one trial call over all processes, and closes for all if it succeeds', async () => {
    await fail(3);
    const lease = await trial();
    for (const entered of await states())
      expect(entered).toMatchObject({ kind: 'open', ms: expect.any(Number) });
    expect((await lease.release('ok')).openMs).toBe(0);
    for (const entered of await states()) expect(entered.kind).toBe('granted');
  });

  it('doubles its open time after each failed trial, up to a bound', async () => {
    await fail(3);
    for (const most of [600, 700, 700]) {
      expect((await (await trial()).release('failed')).openMs).toBe(most);
    }
  });

  it('admits another trial if the first was abandoned or its process died', async () => {
    await fail(3);
    expect((await (await trial('given up')).release('abandoned')).openMs).toBe(0);
    const dead = await trial('dead');
    expect((await states()).map(({ kind }) => kind)).toEqual(['open', 'open']);
    // As the lease of a process that no longer renews it.
    await corner.redis.zadd(`${corner.prefix}:{model:free}:leases`, 1, 'dead');
    const last = await trial('last');
    // The outcome of the expired trial no longer counts.
    await dead.release('failed');
    expect((await last.release('ok')).openMs).toBe(0);
  });

  it('admits a caller without another model although it is open', async () => {
    await fail(3);
    const entered = await (processes[0] as ModelLimiter).acquire(
      free,
      { id: 'only', priority: 0 },
      true,
    );
    expect(entered.kind).toBe('granted');
    if (entered.kind === 'granted') expect((await entered.lease.release('ok')).openMs).toBe(0);
  });

  it('dismisses waiting callers when it opens', async () => {
    const one = limiter({
      breaker: { ...breaker, failures: 1, openMs: 600_000, maxOpenMs: 600_000 },
    });
    const [a] = [await granted(one, 'a'), await granted(one, 'b')];
    await asked(one, 'c');
    await asked(one, 'd');
    expect((await a.release('failed')).next).toEqual(['c', 'd']);
    expect(await asked(one, 'c')).toMatchObject({ kind: 'open' });
    // The caller keeps no place.
    expect((await one.nextCallers(two)).next).toEqual(['d']);
  });

  it('does not count calls that were active when it opened', async () => {
    const late = [
      await granted(processes[0] as ModelLimiter, 'l1', free),
      await granted(processes[1] as ModelLimiter, 'l2', free),
    ];
    const openMs = await fail(3);
    for (const lease of late)
      expect((await lease.release('failed')).openMs).toBeLessThanOrEqual(openMs);
    const lease = await trial();
    expect((await lease.release('failed')).openMs).toBeLessThanOrEqual(600);
  });
});
