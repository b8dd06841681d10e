import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_TRIES } from '../../src/domain/provider/attempts.js';
import { ModelCalls } from '../../src/models/calls/model-calls.js';
import { ModelLimiter } from '../../src/models/calls/model-limiter.js';
import type { ModelEntry } from '../../src/models/models.js';
import { startProviderServer, type ProviderServer } from '../support/models/provider-server.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';
import { entryAt, request } from '../support/models/model-entry.js';

const never = new AbortController().signal;
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

/** A caller without a time limit. */
const caller = (id: string, priority = 0) => ({
  id,
  priority,
  deadline: Date.now() + 60_000,
  signal: never,
});

describe('waiting callers of a model', () => {
  it('are woken when they may start', async () => {
    const woken: string[] = [];
    const one = new ModelCalls(new ModelLimiter(corner.redis, corner.prefix, { parkMs: 5_000 }), {
      wake: (ids) => Promise.resolve(void woken.push(...ids)).then(() => []),
    });
    const chain = [entry('m', { limits: { concurrency: 1 } })];
    const first = await one.begin(chain, NO_TRIES, caller('a'));
    expect(await one.begin(chain, NO_TRIES, caller('b'))).toMatchObject({
      kind: 'wait',
      why: 'busy',
      ms: 5_000,
    });
    if (first.kind === 'go') for await (const _ of first.attempt.stream(request('a'), never));
    expect(woken).toEqual(['b']);
    expect((await one.begin(chain, NO_TRIES, caller('b'))).kind).toBe('go');
  });
  it('are woken though they were called before they parked; those that no longer exist are skipped', async () => {
    const woken: string[] = [];
    const one = new ModelCalls(new ModelLimiter(corner.redis, corner.prefix), {
      wake: (ids) =>
        Promise.resolve(void woken.push(...ids)).then(() => ids.filter((id) => id === 'gone')),
    });
    const model = entry('m', { limits: { concurrency: 1 } });
    const first = await one.begin([model], NO_TRIES, caller('a', 0));
    for (const id of ['gone', 'b'])
      expect(await one.begin([model], NO_TRIES, caller(id, id === 'b' ? 1 : 0))).toMatchObject({
        kind: 'wait',
      });
    await one.parked(model);
    expect(woken).toEqual([]);
    if (first.kind === 'go') await first.attempt.close();
    await until('all are called', () => woken.length === 2);
    expect(woken).toEqual(['gone', 'b']);
    await one.parked(model);
    expect(woken).toEqual(['gone', 'b', 'b']);
  });

  it('go on if they cannot be woken because Redis is down', async () => {
    let asked = 0;
    const one = new ModelCalls(new ModelLimiter(corner.redis, corner.prefix), {
      wake: () => Promise.reject(new Error(`Connection is closed. ${++asked}`)),
    });
    const model = entry('m', { limits: { concurrency: 1 } });
    const first = await one.begin([model], NO_TRIES, caller('a'));
    expect(await one.begin([model], NO_TRIES, caller('b'))).toMatchObject({ kind: 'wait' });
    if (first.kind === 'go') await first.attempt.close();
    await until('the first try to wake', () => asked === 1);
    await expect(one.parked(model)).resolves.toBeUndefined();
    expect(asked).toBe(2);
  });
});
