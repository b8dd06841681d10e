import type { Action } from './action.js';

/**
 * Does nothing: the report before it was the agent's last step. A tree may name it in `:finally`.
 */
export const end: Action = { name: 'end', run: () => ({ outcome: 'success' }) };
