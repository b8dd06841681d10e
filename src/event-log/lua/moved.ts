import { STORE } from './store.js';

/**
 * Returns whether a run was created by another Redis process than the current one. KEYS: state.
 * ARGV: none. Returns 1 if it was, 0 if it was not or if that is unknown.
 */
export const MOVED = `
${STORE}
local began = redis.call('HGET', KEYS[1], 'store')
return began and began ~= '' and began ~= store() and 1 or 0
`;
