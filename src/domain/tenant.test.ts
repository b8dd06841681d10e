import { expect, it } from '@jest/globals';
import { DEFAULT_TENANT, inTenant, isTenant, tenantOf } from './tenant.js';

it.each([
  [DEFAULT_TENANT, '0a1b', '0a1b'],
  ['acme', '0a1b', 'acme/0a1b'],
  ['acme.eu-1', 'anonymous', 'acme.eu-1/anonymous'],
])('names what belongs to the tenant %s', (tenant, id, name) => {
  expect(inTenant(tenant, id)).toBe(name);
  expect(tenantOf(name)).toBe(tenant);
});

it.each(['', 'a/b', 'a:b', '{a}', 'a b', '-a', 'a'.repeat(65), 'ä', 'a\n'])(
  'refuses %j as the name of a tenant',
  (text) => {
    expect(isTenant(text)).toBe(false);
  },
);

it.each(['default', 'a', 'Acme_2', 'org.example-1', 'a'.repeat(64)])('allows %j', (text) => {
  expect(isTenant(text)).toBe(true);
});
