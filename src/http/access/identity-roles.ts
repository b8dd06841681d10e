import { isRole, ROLES, type Role } from '../../domain/roles.js';

/** Groups of an identity provider, and the role that each grants. */
export type GroupRoles = ReadonlyMap<string, Role>;

/**
 * Reads `GROUP=ROLE,GROUP=ROLE`.
 * @throws Error that names the entry and what is allowed
 */
export function parseGroupRoles(text = ''): GroupRoles {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  return new Map(
    entries.map((entry) => {
      const [, group = '', role = ''] = /^\s*(.+?)\s*=\s*(\w+)\s*$/.exec(entry) ?? [];
      if (group === '' || !isRole(role))
        throw new Error(
          `GROUP_ROLES: "${entry.trim().slice(0, 100)}" must be GROUP=ROLE with a role of ${ROLES.join(', ')}`,
        );
      return [group, role];
    }),
  );
}

/** The highest role that the groups grant; undefined: none of them grants one. */
export function roleOfGroups(groups: readonly string[], roles: GroupRoles): Role | undefined {
  const given = groups.flatMap((group) => roles.get(group) ?? []);
  return ROLES.findLast((role) => given.includes(role));
}
