/** The pages of the rail, with the key that follows G. */
export const NAV = [
  { to: '/runs', icon: 'runs', label: 'Runs', key: 'r' },
  { to: '/diagnose', icon: 'plus', label: 'Diagnose', key: 'd' },
  { to: '/topologies', icon: 'topology', label: 'Topologies', key: 't' },
  { to: '/conversations', icon: 'chat', label: 'Oracle', key: 'c' },
  { to: '/operations', icon: 'pulse', label: 'Operations', key: 'o' },
  { to: '/settings', icon: 'gear', label: 'Settings', key: 's' },
] as const;
