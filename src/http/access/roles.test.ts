import { describe, expect, it } from '@jest/globals';
import { parseGroupRoles, roleOfGroups } from './identity-roles.js';
import { leastRoleFor, mayDo, ROLES } from './roles.js';

describe('a role', () => {
  it('may do what those before it may', () => {
    const able = (action: Parameters<typeof mayDo>[1]) =>
      ROLES.filter((role) => mayDo(role, action));
    expect(able('runs:read')).toEqual(['viewer', 'trigger', 'operator', 'admin']);
    expect(able('runs:start')).toEqual(['trigger', 'operator', 'admin']);
    expect(able('runs:cancel-any')).toEqual(['operator', 'admin']);
    expect(able('topologies:write')).toEqual(['admin']);
    expect(leastRoleFor('keys:manage')).toBe('admin');
  });
});

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
