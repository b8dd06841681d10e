import { expect, it, jest } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { FailedLogins } from './failed-logins.js';
import type { MakeLimiter } from './limiter.js';

const inMemory: MakeLimiter = ({ points, seconds }) =>
  new RateLimiterMemory({ points, duration: seconds });
const make = (most = 10) => new FailedLogins(inMemory, most);
const wrong = () => Promise.resolve(undefined);
const right = () => Promise.resolve('ann');

async function fail(logins: FailedLogins, times: number, address = '192.0.2.1'): Promise<void> {
  for (let i = 0; i < times; i++)
    expect(await logins.guard(address, `guess ${i}`, wrong)).toBeUndefined();
}

it('refuses invalid credentials of an address after ten of them', async () => {
  const logins = make();
  await fail(logins, 10);
  await expect(logins.guard('192.0.2.1', 'guess', wrong)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    options: { retryAfterSeconds: 60 },
  });
  expect(await logins.guard('192.0.2.2', 'guess', wrong)).toBeUndefined();
});

it('accepts a valid credential of such an address, also in a process that has not seen it', async () => {
  const shared = inMemory({ name: 'failed-logins', points: 10, seconds: 60 });
  const one = new FailedLogins(() => shared, 10);
  const another = new FailedLogins(() => shared, 10);
  await fail(one, 10);
  await expect(another.guard('192.0.2.1', 'guess', wrong)).rejects.toThrow('Too many');
  expect(await one.guard('192.0.2.1', 'session', right)).toBe('ann');
  expect(await another.guard('192.0.2.1', 'session', right)).toBe('ann');
});

it('does not count attempts with a credential that was valid before', async () => {
  const logins = make();
  await logins.guard('192.0.2.1', 'revoked', right);
  await fail(logins, 9);
  for (let i = 0; i < 20; i++)
    expect(await logins.guard('192.0.2.1', 'revoked', wrong)).toBeUndefined();
  expect(await logins.guard('192.0.2.1', 'last guess', wrong)).toBeUndefined();
  await expect(logins.guard('192.0.2.1', 'guess', wrong)).rejects.toThrow('Too many');
});

it('does not count credentials that are valid', async () => {
  const logins = make();
  for (let i = 0; i < 20; i++) expect(await logins.guard('::1', `key ${i}`, right)).toBe('ann');
  await fail(logins, 10, '::1');
});

it('does not count a credential that could not be checked', async () => {
  const consume = jest.fn<() => never>();
  const logins = new FailedLogins(() => ({ consume }), 10);
  const away = () => Promise.reject(new Error('Redis does not answer'));
  await expect(logins.guard('::1', 'key', away)).rejects.toThrow('Redis');
  expect(consume).not.toHaveBeenCalled();
});

it('does not limit with 0', async () => {
  await fail(make(0), 100);
});

it.each([
  ['2001:db8::1', '2001:db8::ffff:1', true],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['::ffff:192.0.2.1', '192.0.2.1', true],
])('counts %s and %s as one address: %s', async (one, other, alike) => {
  const logins = make();
  await fail(logins, 10, one);
  const next = logins.guard(other, 'a', wrong);
  if (alike) await expect(next).rejects.toThrow('Too many');
  else expect(await next).toBeUndefined();
});
