import { STORE } from './store.js';

/** KEYS: state. ARGV: none. Answers 1 where the run was not created in this process of Redis, 0 where it was or nobody knows. */
export const MOVED = `
${STORE}
local began = redis.call('HGET', KEYS[1], 'store')
return began and began ~= '' and began ~= store() and 1 or 0
`;
