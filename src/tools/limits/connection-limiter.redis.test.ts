import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { onePlace, requestOf } from '../../../test/support/memory/one-place.js';
import { testRedis } from '../../../test/support/redis.js';
import { loadConfig } from '../../config/load-config.js';
import {
  CONNECTION_LIMITS,
  type ConnectionLimiter,
  type ConnectionLimits,
  type PlaceRequest,
  type ProbeTarget,
} from './connection-limiter.js';
import { LocalConnectionLimiter } from './local-connection-limiter.js';
import { RedisConnectionLimiter } from './redis-connection-limiter.js';

const LIMITS: ConnectionLimits = { atOnce: 2, perSecond: 1_000, deaths: 2 };
const LEASE_MS = 100;

const store = testRedis();
const { redis, prefix } = store;
afterAll(() => store.close());

let hosts = 0;
/** A target on a host that no other test has. */
const newTarget = (tool = 'redis_inspect') => ({
  host: `Host-${(hosts += 1)}.example`,
  port: 6379,
  tool,
});

interface Scene {
  limiter: ConnectionLimiter;
  /** Begins probes in a process that dies of them. @returns whether one was a suspect before */
  die: (target: ProbeTarget, probes?: number) => Promise<boolean>;
  pass: (ms: number) => Promise<unknown>;
}

const implementations = {
  local: (limits: ConnectionLimits): Scene => {
    let now = 0;
    const limiter = new LocalConnectionLimiter(limits, LEASE_MS, () => now);
    return {
      limiter,
      die: async (target, probes = 1) => {
        const suspect = await begin(limiter, target, probes);
        now += LEASE_MS;
        return suspect;
      },
      pass: async (ms) => void (now += ms),
    };
  },
  Redis: (limits: ConnectionLimits): Scene => ({
    limiter: new RedisConnectionLimiter(redis, prefix, limits),
    die: async (target, probes = 1) => {
      const connection = redis.duplicate();
      const other = new RedisConnectionLimiter(connection, prefix, limits, LEASE_MS);
      const suspect = await begin(other, target, probes);
      connection.disconnect();
      await sleep(LEASE_MS + 10);
      return suspect;
    },
    pass: sleep,
  }),
};

async function granted(limiter: ConnectionLimiter, target: ProbeTarget) {
  const { admission, leave } = await onePlace(limiter, target);
  if (admission.kind !== 'granted') throw new Error(`not granted: ${admission.kind}`);
  return { suspect: admission.suspect, leave };
}

const kindOf = async (limiter: ConnectionLimiter, target: ProbeTarget) =>
  (await onePlace(limiter, target)).admission.kind;

async function begin(limiter: ConnectionLimiter, target: ProbeTarget, probes: number) {
  const begun = Array.from({ length: probes }, () => granted(limiter, target));
  return (await Promise.all(begun)).some(({ suspect }) => suspect);
}

/**
 * Takes and gives back places until one is refused.
 * @returns how many, and ms to wait for the next
 */
async function exhaust(limiter: ConnectionLimiter, target: ProbeTarget) {
  for (let places = 0; ; places += 1) {
    const { admission, ms, leave } = await onePlace(limiter, target);
    if (admission.kind !== 'granted') return { places, ms };
    await leave();
  }
}

test('M3: by default grants five places on a host at once, and 20 in a second', async () => {
  const limiter = new LocalConnectionLimiter(undefined, LEASE_MS, () => 0);
  const target = newTarget();
  for (let begun = 0; begun < 20; begun += 5) {
    const places = [];
    for (let i = 0; i < 5; i += 1) places.push(await granted(limiter, target));
    expect(await kindOf(limiter, target)).toBe('wait');
    await Promise.all(places.map(({ leave }) => leave()));
  }
  expect(await exhaust(limiter, target)).toEqual({ places: 0, ms: 1_001 });
  const { probeConnectionsPerHost, probesPerSecondPerHost } = loadConfig({});
  expect([probeConnectionsPerHost, probesPerSecondPerHost]).toEqual([5, 20]);
  expect(CONNECTION_LIMITS).toEqual({ atOnce: 5, perSecond: 20, deaths: 2 });
});

describe.each(Object.entries(implementations))('the limiter: %s', (_, make) => {
  test('M3: grants so many places on a host at once, in any spelling of its name', async () => {
    const { limiter } = make(LIMITS);
    const target = newTarget();
    const first = await granted(limiter, target);
    await granted(limiter, { ...target, port: 80, host: target.host.toUpperCase() });
    expect(await kindOf(limiter, { ...target, host: `${target.host}.` })).toBe('wait');
    await granted(limiter, newTarget());
    await first.leave();
    await granted(limiter, target);
  });

  test('M3: grants so many places on a host in a second', async () => {
    const { limiter, pass } = make({ ...LIMITS, atOnce: 100, perSecond: 3 });
    const target = newTarget();
    const began = performance.now();
    const { places, ms } = await exhaust(limiter, target);
    // A busy machine may take longer than the second.
    if (performance.now() - began < 1_000) expect(places).toBe(3);
    expect(places).toBeGreaterThanOrEqual(3);
    if (ms === undefined) throw new Error('not to wait');
    expect(ms).toBeLessThanOrEqual(1_001);
    await pass(ms + 5);
    await granted(limiter, target);
  });

  test('quarantines a target whose probe ended a process twice, until that is lifted', async () => {
    const { limiter, die } = make(LIMITS);
    const target = newTarget();
    const name = `${target.host.toLowerCase()}:6379`;
    expect(await die(target)).toBe(false);
    expect(await die(target)).toBe(true);
    expect(await kindOf(limiter, target)).toBe('quarantined');
    expect(await kindOf(limiter, { ...target, tool: 'tcp_probe' })).toBe('quarantined');
    await granted(limiter, { ...target, port: 80 });
    expect(await limiter.quarantined()).toContainEqual({
      target: name,
      tool: 'redis_inspect',
      since: expect.stringMatching(/^\d{4}-/) as unknown,
    });
    expect(await limiter.lift(name)).toBe(true);
    expect(await limiter.lift(name)).toBe(false);
    expect((await granted(limiter, target)).suspect).toBe(false);
  });

  test('counts one death of several that had begun before it was known', async () => {
    const { limiter, die } = make(LIMITS);
    const target = newTarget();
    expect(await die(target, 2)).toBe(false);
    expect(await die(target, 2)).toBe(true);
    expect(await kindOf(limiter, target)).toBe('quarantined');
  });

  test('forgets a death once the same probe has come back', async () => {
    const { limiter, die } = make(LIMITS);
    const target = newTarget();
    await die(target);
    // Another tool that comes back proves nothing about this one.
    await (await granted(limiter, { ...target, tool: 'tcp_probe' })).leave();
    const again = await granted(limiter, target);
    expect(again.suspect).toBe(true);
    await again.leave();
    expect(await die(target)).toBe(false);
    await granted(limiter, target);
  });
});

test('a process that was taken for dead while it stood still lifts the quarantine', async () => {
  const { die } = implementations.Redis(LIMITS);
  const target = newTarget();
  await die(target);
  const connection = redis.duplicate();
  const slow = new RedisConnectionLimiter(connection, prefix, LIMITS, LEASE_MS);
  const place = await granted(slow, target);
  await connection.quit();
  await sleep(LEASE_MS + 10);
  const limiter = new RedisConnectionLimiter(redis, prefix, LIMITS);
  expect(await kindOf(limiter, target)).toBe('quarantined');
  await connection.connect();
  await place.leave();
  connection.disconnect();
  await granted(limiter, target);
});

describe.each(Object.entries(implementations))('two names of one address: %s', (_, make) => {
  test('M3: share the places of the host, and are quarantined apart', async () => {
    const { limiter, die } = make(LIMITS);
    const address = `10.0.0.${(hosts += 1)}`;
    const [one, other] = [newTarget(), newTarget()].map((target) => ({ ...target, address }));
    const first = await granted(limiter, one!);
    await granted(limiter, other!);
    expect(await kindOf(limiter, one!)).toBe('wait');
    expect(await kindOf(limiter, other!)).toBe('wait');
    await first.leave();
    const place = await granted(limiter, other!);
    await place.leave();
    const named = { ...newTarget(), address: `10.0.1.${hosts}` };
    await die(named);
    await die(named);
    expect(await kindOf(limiter, named)).toBe('quarantined');
    await granted(limiter, { ...newTarget(), address: named.address });
  });
});

describe('a free place, where several processes wait', () => {
  const LIMITED = { ...LIMITS, atOnce: 1 };
  const limiter = new RedisConnectionLimiter(redis, prefix, LIMITED);
  const processOf = (target: ProbeTarget) => {
    const { host, process } = requestOf(target);
    let begun = 0;
    const ask = async (request: Partial<PlaceRequest>) =>
      limiter.exchange({ ...requestOf(target), host, process, ...request });
    const probe = () => ({ target, token: `${process}:${(begun += 1)}` });
    const one = async (request: Partial<PlaceRequest> = {}) =>
      (await ask({ ...request, wanted: [probe()] })).admissions[0]?.kind;
    return { ask, probe, one };
  };

  test('is for the one that has waited longest', async () => {
    const target = newTarget();
    const holder = processOf(target);
    const first = processOf(target);
    const held = holder.probe();
    await holder.ask({ wanted: [held] });
    expect(await first.one()).toBe('wait');
    await sleep(2); // The order is by ms.
    expect(await holder.one({ ended: [held] })).toBe('wait');
    expect(await first.one()).toBe('granted');
  });

  test('is kept for none that has stopped asking', async () => {
    const target = newTarget();
    const holder = processOf(target);
    const gone = processOf(target);
    const held = holder.probe();
    await holder.ask({ wanted: [held] });
    await gone.one();
    await gone.ask({});
    expect(await holder.one({ ended: [held] })).toBe('granted');
  });

  test('is asked for less often the longer the wait is', async () => {
    const target = newTarget();
    const holder = processOf(target);
    const waiting = processOf(target);
    await holder.one();
    const waits = [];
    for (const ms of [0, 60, 300]) {
      await sleep(ms);
      const { again } = await waiting.ask({ wanted: [waiting.probe()] });
      waits.push(again);
    }
    expect(waits[0]).toEqual({ limit: 'places', ms: 20 });
    expect(waits[1]?.ms).toBeGreaterThanOrEqual(60);
    expect(waits[2]).toEqual({ limit: 'places', ms: 250 });
  });
});
