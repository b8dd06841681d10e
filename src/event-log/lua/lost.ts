/**
 * Records the highest sequence that a reader has seen and the log no longer has. Does nothing if
 * the run does not exist.
 *
 * KEYS: state. ARGV: that sequence. Returns `['OK']`.
 */
export const LOST = `
local known = redis.call('HMGET', KEYS[1], 'status', 'lost')
if known[1] and tonumber(ARGV[1]) > tonumber(known[2] or '0') then redis.call('HSET', KEYS[1], 'lost', ARGV[1]) end
return {'OK'}
`;
