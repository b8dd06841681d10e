import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testRedis } from '../../../test/support/redis.js';
import { loadConfig } from '../../config/load-config.js';
import {
  type Admission,
  CONNECTION_LIMITS,
  type ConnectionLimiter,
  type ConnectionLimits,
  type ProbeTarget,
} from './connection-limiter.js';
import { LocalConnectionLimiter } from './local-connection-limiter.js';
import { ProbePlaces, QuarantinedError } from './probe-places.js';
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

const granted = (admission: Admission) => {
  if (admission.kind !== 'granted') throw new Error(`not granted: ${admission.kind}`);
  return admission;
};

async function begin(limiter: ConnectionLimiter, target: ProbeTarget, probes: number) {
  const begun = Array.from({ length: probes }, () => limiter.enter(target));
  return (await Promise.all(begun)).some((admission) => granted(admission).suspect);
}

test('M3: by default grants five places on a host at once, and 20 in a second', async () => {
  const limiter = new LocalConnectionLimiter(undefined, LEASE_MS, () => 0);
  const target = newTarget();
  let next = await limiter.enter(target);
  let begun = 0;
  for (const atOnce of [5, 5, 5, 5]) {
    const places = [];
    for (; next.kind === 'granted'; next = await limiter.enter(target)) places.push(next);
    expect(places).toHaveLength(atOnce);
    begun += atOnce;
    await Promise.all(places.map(({ leave }) => leave()));
    next = await limiter.enter(target);
  }
  expect(next).toEqual({ kind: 'wait', ms: 1_000 });
  const { probeConnectionsPerHost, probesPerSecondPerHost } = loadConfig({});
  expect([probeConnectionsPerHost, probesPerSecondPerHost]).toEqual([5, begun]);
  expect(CONNECTION_LIMITS).toEqual({ atOnce: 5, perSecond: 20, deaths: 2 });
});

describe.each(Object.entries(implementations))('the limiter: %s', (_, make) => {
  test('M3: grants so many places on a host at once, in any spelling of its name', async () => {
    const { limiter } = make(LIMITS);
    const target = newTarget();
    const first = granted(await limiter.enter(target));
    granted(await limiter.enter({ ...target, port: 80, host: target.host.toUpperCase() }));
    expect(await limiter.enter({ ...target, host: `${target.host}.` })).toMatchObject({
      kind: 'wait',
    });
    granted(await limiter.enter(newTarget()));
    await first.leave();
    granted(await limiter.enter(target));
  });

  test('M3: grants so many places on a host in a second', async () => {
    const { limiter, pass } = make({ ...LIMITS, atOnce: 100, perSecond: 3 });
    const target = newTarget();
    const began = performance.now();
    let places = 0;
    let next = await limiter.enter(target);
    for (; next.kind === 'granted'; next = await limiter.enter(target)) {
      places += 1;
      await next.leave();
    }
    // A busy machine may take longer than the second.
    if (performance.now() - began < 1_000) expect(places).toBe(3);
    expect(places).toBeGreaterThanOrEqual(3);
    if (next.kind !== 'wait') throw new Error(`not to wait: ${next.kind}`);
    expect(next.ms).toBeLessThanOrEqual(1_001);
    await pass(next.ms + 5);
    granted(await limiter.enter(target));
  });

  test('quarantines a target whose probe ended a process twice, until that is lifted', async () => {
    const { limiter, die } = make(LIMITS);
    const target = newTarget();
    const name = `${target.host.toLowerCase()}:6379`;
    expect(await die(target)).toBe(false);
    expect(await die(target)).toBe(true);
    expect(await limiter.enter(target)).toEqual({ kind: 'quarantined' });
    expect(await limiter.enter({ ...target, tool: 'tcp_probe' })).toEqual({ kind: 'quarantined' });
    granted(await limiter.enter({ ...target, port: 80 }));
    expect(await limiter.quarantined()).toContainEqual({
      target: name,
      tool: 'redis_inspect',
      since: expect.stringMatching(/^\d{4}-/) as unknown,
    });
    expect(await limiter.lift(name)).toBe(true);
    expect(await limiter.lift(name)).toBe(false);
    expect(granted(await limiter.enter(target)).suspect).toBe(false);
  });

  test('counts one death of several that had begun before it was known', async () => {
    const { limiter, die } = make(LIMITS);
    const target = newTarget();
    expect(await die(target, 2)).toBe(false);
    expect(await die(target, 2)).toBe(true);
    expect(await limiter.enter(target)).toEqual({ kind: 'quarantined' });
  });

  test('forgets a death once the same probe has come back', async () => {
    const { limiter, die } = make(LIMITS);
    const target = newTarget();
    await die(target);
    // Another tool that comes back proves nothing about this one.
    await granted(await limiter.enter({ ...target, tool: 'tcp_probe' })).leave();
    const again = granted(await limiter.enter(target));
    expect(again.suspect).toBe(true);
    await again.leave();
    expect(await die(target)).toBe(false);
    granted(await limiter.enter(target));
  });
});

test('a process that was taken for dead while it stood still lifts the quarantine', async () => {
  const { die } = implementations.Redis(LIMITS);
  const target = newTarget();
  await die(target);
  const connection = redis.duplicate();
  const slow = new RedisConnectionLimiter(connection, prefix, LIMITS, LEASE_MS);
  const place = granted(await slow.enter(target));
  await connection.quit();
  await sleep(LEASE_MS + 10);
  const limiter = new RedisConnectionLimiter(redis, prefix, LIMITS);
  expect(await limiter.enter(target)).toEqual({ kind: 'quarantined' });
  await connection.connect();
  await place.leave();
  connection.disconnect();
  granted(await limiter.enter(target));
});

describe.each(Object.entries(implementations))('two names of one address: %s', (_, make) => {
  test('M3: share the places of the host, and are quarantined apart', async () => {
    const { limiter, die } = make(LIMITS);
    const address = `10.0.0.${(hosts += 1)}`;
    const [one, other] = [newTarget(), newTarget()].map((target) => ({ ...target, address }));
    const first = granted(await limiter.enter(one!));
    granted(await limiter.enter(other!));
    expect(await limiter.enter(one!)).toMatchObject({ kind: 'wait' });
    expect(await limiter.enter(other!)).toMatchObject({ kind: 'wait' });
    await first.leave();
    const place = granted(await limiter.enter(other!));
    await place.leave();
    const named = { ...newTarget(), address: `10.0.1.${hosts}` };
    await die(named);
    await die(named);
    expect(await limiter.enter(named)).toEqual({ kind: 'quarantined' });
    granted(await limiter.enter({ ...newTarget(), address: named.address }));
  });
});

describe('the places of a process', () => {
  const LOCAL = { atOnce: 1, perSecond: 1_000, deaths: 2 };

  test('are given in the order in which they were asked for', async () => {
    const places = new ProbePlaces(new LocalConnectionLimiter(LOCAL));
    const target = newTarget();
    const signal = new AbortController().signal;
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map(async (number) => {
        const leave = await places.enter(target, signal);
        order.push(number);
        await leave();
      }),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  test('are no longer waited for once the signal fires', async () => {
    const places = new ProbePlaces(new LocalConnectionLimiter(LOCAL));
    const target = newTarget();
    const controller = new AbortController();
    await places.enter(target, controller.signal);
    const waiting = places.enter(target, controller.signal);
    const reason = new Error('cancelled');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('let a suspect run alone', async () => {
    let now = 0;
    const limiter = new LocalConnectionLimiter({ ...LOCAL, atOnce: 5 }, LEASE_MS, () => now);
    const places = new ProbePlaces(limiter);
    const suspect = newTarget();
    const { signal } = new AbortController();
    await limiter.enter(suspect);
    now += LEASE_MS;
    const leaveFirst = await places.enter(newTarget(), signal);
    let alone = false;
    const waiting = places.enter(suspect, signal).then((leave) => {
      alone = true;
      return leave;
    });
    await sleep(30);
    expect(alone).toBe(false);
    await leaveFirst();
    await (
      await waiting
    )();
  });

  test('are refused to a quarantined target', async () => {
    const { limiter, die } = implementations.local(LIMITS);
    const target = newTarget();
    await die(target);
    await die(target);
    await expect(
      new ProbePlaces(limiter).enter(target, new AbortController().signal),
    ).rejects.toBeInstanceOf(QuarantinedError);
  });
});
