import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { onePlace } from '../../../test/support/memory/one-place.js';
import { until } from '../../../test/support/until.js';
import type { ConnectionLimiter, ConnectionLimits } from './connection-limiter.js';
import { LocalConnectionLimiter } from './local-connection-limiter.js';
import { ProbePlaces, QuarantinedError } from './probe-places.js';

const LIMITS: ConnectionLimits = { atOnce: 2, perSecond: 1_000, deaths: 2 };
const LEASE_MS = 100;

let hosts = 0;
/** A target on a host that no other test has. */
const newTarget = () => ({
  host: `host-${(hosts += 1)}.example`,
  port: 6379,
  tool: 'redis_inspect',
});

describe('the exchanges of a process with the limiter', () => {
  const { signal } = new AbortController();
  const scene = (limits: Partial<ConnectionLimits>, now = Date.now) => {
    const local = new LocalConnectionLimiter({ ...LIMITS, ...limits }, undefined, now);
    const sent: [ended: number, wanted: number][] = [];
    const exchange: ConnectionLimiter['exchange'] = (request) => {
      sent.push([request.ended.length, request.wanted.length]);
      return local.exchange(request);
    };
    const limiter = Object.assign(Object.create(local) as ConnectionLimiter, { exchange });
    return { places: new ProbePlaces(limiter), sent };
  };

  test('are one for probes that begin together', async () => {
    const { places, sent } = scene({ atOnce: 5 });
    const target = newTarget();
    await Promise.all([1, 2, 3].map(() => places.enter(target, signal)));
    expect(sent).toEqual([[0, 3]]);
  });

  test('are one for a probe that ends and the next one', async () => {
    const { places, sent } = scene({});
    const target = newTarget();
    for (let i = 0; i < 3; i += 1) await (await places.enter(target, signal))();
    expect(sent).toEqual([
      [0, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  test('follow what reads an answer in the turn in which its connection ended: a process that dies of it dies in the probe', async () => {
    const { places, sent } = scene({});
    const leave = await places.enter(newTarget(), signal);
    await leave();
    for (let step = 0; step < 1_000; step += 1) await Promise.resolve();
    expect(sent).toEqual([[0, 1]]);
    await until('the place is given back', () => sent.length === 2);
    expect(sent[1]).toEqual([1, 0]);
  });

  test('happen when a place of this process ends, and not by time before', async () => {
    let now = 0;
    const { places, sent } = scene({ atOnce: 1 }, () => now);
    const target = newTarget();
    const leave = await places.enter(target, signal);
    const waiting = places.enter(target, signal);
    await until('the second is refused', () => sent.length === 2);
    now += 10_000; // From now on it would be asked for four times a second.
    await leave();
    await (
      await waiting
    )();
    expect(sent).toEqual([
      [0, 1],
      [0, 1],
      [1, 1],
    ]);
  });

  test('wait for the second to end in which no more probes may begin', async () => {
    let now = 0;
    const { places, sent } = scene({ atOnce: 5, perSecond: 2 }, () => now);
    const target = newTarget();
    const leaves = await Promise.all([1, 2].map(() => places.enter(target, signal)));
    now = 991;
    const waiting = places.enter(target, signal);
    await until('the third is refused', () => sent.length === 2);
    now = 1_001;
    for (const leave of leaves) await leave();
    await waiting;
    expect(sent).toEqual([
      [0, 2],
      [0, 1],
      [2, 1],
    ]);
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
    await onePlace(limiter, suspect);
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

  test('count as a death of the suspect that ran, and of no probe behind it', async () => {
    let now = 0;
    const limiter = new LocalConnectionLimiter({ ...LOCAL, atOnce: 5 }, LEASE_MS, () => now);
    const places = new ProbePlaces(limiter);
    const suspect = newTarget();
    const other = newTarget();
    const { signal } = new AbortController();
    await onePlace(limiter, suspect);
    now += LEASE_MS;
    await places.enter(suspect, signal);
    void places.enter(other, signal);
    // Long enough for the other to ask for a place, if it did.
    await sleep(30);
    now += LEASE_MS;
    expect((await onePlace(limiter, suspect)).admission).toEqual({ kind: 'quarantined' });
    expect((await onePlace(limiter, other)).admission).toEqual({ kind: 'granted', suspect: false });
  });

  test('are refused to a quarantined target', async () => {
    let now = 0;
    const limiter = new LocalConnectionLimiter(LIMITS, LEASE_MS, () => now);
    const target = newTarget();
    for (let death = 1; death <= LIMITS.deaths; death += 1) {
      await onePlace(limiter, target);
      now += LEASE_MS;
    }
    await expect(
      new ProbePlaces(limiter).enter(target, new AbortController().signal),
    ).rejects.toBeInstanceOf(QuarantinedError);
  });
});
