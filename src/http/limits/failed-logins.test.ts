import { expect, it, jest } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { FailedLogins } from './failed-logins.js';

const make = (most = 10) =>
  new FailedLogins(
    ({ points, seconds }) => new RateLimiterMemory({ points, duration: seconds }),
    most,
  );
const wrong = () => Promise.resolve(undefined);
const right = () => Promise.resolve('ann');

async function fail(logins: FailedLogins, times: number, address = '192.0.2.1'): Promise<void> {
  for (let i = 0; i < times; i++)
    expect(await logins.guard(address, `guess ${i}`, wrong)).toBeUndefined();
}

it('refuses an address after ten failures without checking its credential', async () => {
  const logins = make();
  await fail(logins, 10);
  const check = jest.fn(right);
  await expect(logins.guard('192.0.2.1', 'good', check)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    options: { retryAfterSeconds: 60 },
  });
  expect(check).not.toHaveBeenCalled();
  expect(await logins.guard('192.0.2.2', 'good', right)).toBe('ann');
});

it('still checks a credential that was good before', async () => {
  const logins = make();
  await logins.guard('192.0.2.1', 'good', right);
  await fail(logins, 10);
  expect(await logins.guard('192.0.2.1', 'good', right)).toBe('ann');
  expect(await logins.guard('192.0.2.1', 'good', wrong)).toBeUndefined();
  await expect(logins.guard('192.0.2.1', 'good', right)).rejects.toThrow('Too many');
});

it('does not count attempts with a credential that was good before', async () => {
  const logins = make();
  await logins.guard('192.0.2.1', 'revoked', right);
  await fail(logins, 9);
  for (let i = 0; i < 20; i++)
    expect(await logins.guard('192.0.2.1', 'revoked', wrong)).toBeUndefined();
  expect(await logins.guard('192.0.2.1', 'new', right)).toBe('ann');
});

it('does not count credentials that are good', async () => {
  const logins = make();
  for (let i = 0; i < 20; i++) expect(await logins.guard('::1', `key ${i}`, right)).toBe('ann');
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
