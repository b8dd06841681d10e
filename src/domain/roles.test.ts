import { describe, expect, it } from '@jest/globals';
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
