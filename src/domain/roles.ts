/** In ascending order: each may do everything that the previous ones may. Contract section 10. */
export const ROLES = ['viewer', 'trigger', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The actions of routes and of tools of the oracle, and the lowest role that may do each. The only
 * place that gives roles their meaning.
 */
const LEAST_ROLE = {
  /** Data of the caller alone. */
  self: 'viewer',
  'runs:read': 'viewer',
  'runs:start': 'trigger',
  /** Probes of the oracle, which connect to the nodes of a topology. */
  'tools:run': 'trigger',
  /** The caller's own runs; other runs need `runs:cancel-any`. */
  'runs:cancel': 'trigger',
  'runs:cancel-any': 'operator',
  /** Changes that agents request. */
  'approvals:decide': 'operator',
  'topologies:read': 'viewer',
  /** Locations of nodes: hosts, paths and addresses. */
  'topologies:endpoints': 'operator',
  /** A topology names hosts that tools connect to. */
  'topologies:write': 'admin',
  'catalogue:read': 'viewer',
  chat: 'viewer',
  'metrics:read': 'viewer',
  'status:read': 'viewer',
  'quarantine:lift': 'operator',
  'keys:manage': 'admin',
  'audit:read': 'admin',
} as const satisfies Record<string, Role>;

export type AccessAction = keyof typeof LEAST_ROLE;

export const mayDo = (role: Role, action: AccessAction): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(LEAST_ROLE[action]);

export const leastRoleFor = (action: AccessAction): Role => LEAST_ROLE[action];

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);
