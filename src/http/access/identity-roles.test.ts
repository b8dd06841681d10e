import { describe, expect, it } from '@jest/globals';
import { parseGroupRoles, roleOfGroups } from './identity-roles.js';

describe('groups of an identity provider', () => {
  const roles = parseGroupRoles('sre=operator, platform team=admin,all=viewer');

  it('give the highest of their roles', () => {
    expect(roleOfGroups(['all', 'sre'], roles)).toBe('operator');
    expect(roleOfGroups(['platform team', 'all'], roles)).toBe('admin');
    expect(roleOfGroups(['SRE', 'other'], roles)).toBeUndefined();
    expect(roleOfGroups([], roles)).toBeUndefined();
  });

  it.each(['sre', 'sre=', '=admin', 'sre=root'])('refuses %j', (text) =>
    expect(() => parseGroupRoles(text)).toThrow(/GROUP_ROLES: .*viewer, trigger, operator, admin/),
  );
});
