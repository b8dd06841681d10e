import type { Health } from '../model/types.js';

export const HEALTH_WORDS: Record<Health, string> = {
  unknown: 'Not checked yet',
  ok: 'Healthy',
  warning: 'Warning',
  critical: 'Critical',
  root: 'Root cause',
  unchecked: 'Unchecked',
};

export const ROLE_WORDS: Record<string, string> = {
  global_supervisor: 'global supervisor',
  team_supervisor: 'team supervisor',
  worker: 'worker',
  librarian: 'librarian',
  oracle: 'oracle',
};
