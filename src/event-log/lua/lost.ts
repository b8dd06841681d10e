/**
 * Remembers that a log has lost its end. KEYS: state. ARGV: the last sequence that is known to have been seen of what was lost.
 * Nothing happens where there is no such run.
 */
export const LOST = `
local known = redis.call('HMGET', KEYS[1], 'status', 'lost')
if known[1] and tonumber(ARGV[1]) > tonumber(known[2] or '0') then redis.call('HSET', KEYS[1], 'lost', ARGV[1]) end
return {'OK'}
`;
