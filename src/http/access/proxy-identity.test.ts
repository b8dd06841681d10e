import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { ProxyIdentity } from './proxy-identity.js';

const settings = {
  trustedProxies: '10.0.0.0/8, ::1',
  proxyPrincipalHeader: 'X-Forwarded-User',
  proxyGroupsHeader: 'X-Forwarded-Groups',
  groupRoles: 'sre=operator',
};
const proxy = new ProxyIdentity(settings);
const from = (remoteAddress: string, headersDistinct: Record<string, string[]>) =>
  proxy.principalOf({ socket: { remoteAddress }, headersDistinct } as unknown as Request);
const ann = { 'x-forwarded-user': ['ann'], 'x-forwarded-groups': ['dev, sre'] };

describe('AUTH=proxy', () => {
  it.each(['10.1.2.3', '::ffff:10.1.2.3', '::1'])('believes the headers of %s', (address) =>
    expect(from(address, ann)).toEqual({ tenant: 'default', name: 'ann', role: 'operator' }),
  );

  it.each(['11.0.0.1', '127.0.0.1', '::ffff:11.0.0.1', '', 'fe80::1'])(
    'ignores the headers of %j',
    (address) => expect(from(address, ann)).toBeUndefined(),
  );

  it.each<[string, Record<string, string[]>]>([
    ['no user', { 'x-forwarded-groups': ['sre'] }],
    ['an empty user', { ...ann, 'x-forwarded-user': [''] }],
    ['two users', { ...ann, 'x-forwarded-user': ['ann', 'root'] }],
    ['two lists of groups', { ...ann, 'x-forwarded-groups': ['dev', 'sre'] }],
    ['no known group', { ...ann, 'x-forwarded-groups': ['dev'] }],
    ['no groups', { 'x-forwarded-user': ['ann'] }],
  ])('refuses %s', (_, headers) => expect(from('10.1.2.3', headers)).toBeUndefined());

  it('names the network that it cannot read', () =>
    expect(() => new ProxyIdentity({ ...settings, trustedProxies: '10.0.0.0/8,proxy' })).toThrow(
      'TRUSTED_PROXIES: "proxy" is no address or network',
    ));
});
