/**
 * Replaces the specification of a run that has ended. KEYS: state. ARGV: specification. Returns 1,
 * or 0 if the run has not ended, or has no specification any more.
 */
export const SHORTEN = `
local state = redis.call('HMGET', KEYS[1], 'status', 'spec')
if not state[2] or not is_sealed(state[1]) then return 0 end
redis.call('HSET', KEYS[1], 'spec', ARGV[1])
return 1
`;
