/**
 * Counts how often a run was started again without progress. Calls within a second count once.
 * KEYS: state. ARGV: none. Returns the count.
 */
export const STARTED = `
local s = redis.call('HMGET', KEYS[1], 'status', 'seq', 'starts')
if not s[1] or not s[2] or is_sealed(s[1]) then return 0 end
local count, seq, at = string.match(s[3] or '', '^(%d+):(%d+):(%d+)$')
if seq ~= s[2] then count, at = '0', '0' end
local ms = clock('0')
if ms - at < 1000 then return tonumber(count) end
redis.call('HSET', KEYS[1], 'starts', string.format('%d:%s:%s', count + 1, s[2], whole(ms)))
return count + 1
`;
