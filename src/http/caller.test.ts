import { expect, it } from '@jest/globals';
import type { Request } from 'express';
import { LOCAL, setPrincipal } from './access/principal.js';
import { callerOf } from './caller.js';

const caller = (headers: Record<string, string> = {}, remoteAddress = '10.0.0.1') =>
  callerOf(requestOf(headers, remoteAddress));

/** @param principal of the request, LOCAL without authentication */
function requestOf(headers: Record<string, string>, remoteAddress: string, principal = LOCAL) {
  const request = { headers, socket: { remoteAddress } } as unknown as Request;
  setPrincipal(request, principal);
  return request;
}

const cookie = `consilium_caller=${'a'.repeat(22)}`;

it('identifies callers by credential, then cookie, then address', () => {
  const different = [
    {},
    { cookie },
    { cookie: `consilium_caller=${'b'.repeat(22)}` },
    { 'x-api-key': 'one' },
    { 'x-api-key': 'two' },
    { authorization: 'Bearer one' },
    { authorization: 'one' },
  ].map((headers) => caller(headers));
  expect(new Set(different).size).toBe(different.length);
  expect(caller({ authorization: 'Bearer one', 'x-api-key': 'one', cookie }, '10.0.0.2')).toBe(
    caller({ authorization: 'Bearer one' }),
  );
  expect(caller({ 'x-api-key': 'one', cookie }, '10.0.0.2')).toBe(caller({ 'x-api-key': 'one' }));
  expect(caller({ cookie }, '10.0.0.2')).toBe(caller({ cookie }));
  expect(caller({}, '10.0.0.2')).not.toBe(caller());
});

it('ignores a cookie that is too short, and empty credentials', () => {
  expect(caller({ cookie: 'consilium_caller=short' })).toBe(caller());
  expect(caller({ authorization: '', 'x-api-key': '' })).toBe(caller());
});

it('contains nothing of a credential', () => {
  expect(caller({ authorization: 'Bearer secret' })).toMatch(/^[0-9a-f]{32}$/);
});

it('distinguishes callers by principal alone where there is authentication', () => {
  const of = (name: string, tenant: string, address: string) =>
    callerOf(requestOf({ cookie }, address, { tenant, name, role: 'viewer' }));
  expect(of('ann', 'a', '10.0.0.1')).toBe(of('ann', 'a', '10.0.0.2'));
  expect(of('ann', 'a', '10.0.0.1')).not.toBe(of('bob', 'a', '10.0.0.1'));
  expect(of('ann', 'a', '10.0.0.1')).not.toBe(of('ann', 'b', '10.0.0.1'));
});
