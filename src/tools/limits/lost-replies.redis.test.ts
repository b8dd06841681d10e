import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { requestOf } from '../../../test/support/memory/one-place.js';
import { testRedis } from '../../../test/support/redis.js';
import { TcpProxy } from '../../../test/support/processes/tcp-proxy.js';
import { until } from '../../../test/support/until.js';
import { connect } from '../../redis/connect.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import type { ProbeAdmission, ConnectionLimits } from './connection-limiter.js';
import { ProbePlaces } from './probe-places.js';
import { RedisConnectionLimiter } from './redis-connection-limiter.js';

const LIMITS: ConnectionLimits = { atOnce: 1, perSecond: 1_000, deaths: 2 };
const LEASE_MS = 300;
const NEVER_MS = 600_000;
const EXCHANGE = /consilium|evalsha|eval/i;
const { signal } = new AbortController();

const store = testRedis();
afterAll(() => store.close());

const connections: Redis[] = [];
let proxy: TcpProxy;
beforeEach(async () => {
  proxy = await TcpProxy.to(store.url);
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.disconnect();
  await proxy.close();
});

/** The places of a process whose connection goes through the proxy. */
async function placesWith({ commandMs = NEVER_MS, leaseMs = LEASE_MS }) {
  const connection = connect(proxy.url, commandMs);
  connections.push(connection);
  await until('the process is connected', () => connection.status === 'ready');
  return new ProbePlaces(limiterOn(connection, leaseMs));
}
const limiterOn = (redis: Redis, leaseMs: number) =>
  new RedisConnectionLimiter(redis, store.prefix, LIMITS, leaseMs);

let hosts = 0;
/** A target on a host that no other test has. */
const newTarget = () => ({
  host: `lost-${(hosts += 1)}.example`,
  port: 6379,
  tool: 'redis_inspect',
});
type Target = ReturnType<typeof newTarget>;

/**
 * Asks for a place as a process without faults, which begins no probe.
 * @param die does not give it back either
 */
async function asOther(target: Target, { die = false } = {}): Promise<ProbeAdmission | undefined> {
  const other = limiterOn(store.redis, LEASE_MS);
  const request = requestOf(target);
  const probe = { target, token: `${request.process}:1` };
  const { admissions } = await other.exchange({ ...request, wanted: [probe] });
  if (!die) await other.exchange({ ...request, withdrawn: [probe] });
  return admissions[0];
}

/** A death of which the probe is suspected stays until the probe has ended well: here none does. */
const isUnsuspected = (target: Target) =>
  until('there is a place, and no death is known', async () => {
    const admission = await asOther(target);
    return admission?.kind === 'granted' && !admission.suspect;
  });

test('places whose reply was lost are given back, and count as no death', async () => {
  const target = newTarget();
  const places = await placesWith({ commandMs: 500 });
  for (let times = 0; times < LIMITS.deaths; times += 1) {
    proxy.loseAnswers(EXCHANGE, 1, 'silence');
    await expect(places.enter(target, signal)).rejects.toBeInstanceOf(UnmeasuredError);
    await isUnsuspected(target);
  }
});

test('a place that could not be given back at once is given back later', async () => {
  const target = newTarget();
  const places = await placesWith({ commandMs: 500 });
  const leave = await places.enter(target, signal);
  const lost = proxy.trap(EXCHANGE);
  await leave();
  await lost;
  await isUnsuspected(target);
});

test('a request that is sent again after its reply was lost has one place', async () => {
  const target = newTarget();
  const places = await placesWith({ leaseMs: NEVER_MS });
  proxy.loseAnswers(EXCHANGE, 1, 'reset');
  const leave = await places.enter(target, signal);
  expect(await asOther(target)).toEqual({ kind: 'wait' });
  await leave();
  await isUnsuspected(target);
});

test('a death that was counted while a reply was lost is taken back, with the quarantine', async () => {
  const target = newTarget();
  const places = await placesWith({});
  const controller = new AbortController();
  proxy.loseAnswers(EXCHANGE, 1, 'silence');
  const entering = places.enter(target, controller.signal);
  const leases = `${store.prefix}:{probes}:leases:${target.host}`;
  await until('the place was granted', async () => (await store.redis.zcard(leases)) === 1);
  proxy.cut();
  controller.abort(new Error('cancelled'));
  await expect(entering).rejects.toThrow('cancelled');
  await sleep(LEASE_MS);
  expect(await asOther(target, { die: true })).toEqual({ kind: 'granted', suspect: true });
  await sleep(LEASE_MS);
  expect(await asOther(target)).toEqual({ kind: 'quarantined' });
  proxy.mend();
  await isUnsuspected(target);
});
