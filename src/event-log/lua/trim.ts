/**
 * Deletes the log of a run that has ended. Its state stays, with the terminal frame in it.
 *
 * KEYS: log, state, then all other keys of the run. ARGV: none.
 *
 * Returns `['OK']` (also if the log was deleted before), `['OPEN']` if the run has not ended, or
 * `['MISSING']`.
 */
export const TRIM = `
local state = redis.call('HMGET', KEYS[2], 'status', 'trimmed')
if not state[1] then return {'MISSING'} end
if not is_sealed(state[1]) then return {'OPEN'} end
if state[2] then return {'OK'} end
local denied = refused({{'HSET', KEYS[2], '', ''}, {'HDEL', KEYS[2], ''}, {'UNLINK', KEYS[1]}})
if denied then return denied end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
redis.call('HSET', KEYS[2], 'trimmed', whole(clock('0')), 'terminal', last and last[2][2] or '')
redis.call('HDEL', KEYS[2], 'spec')
redis.call('UNLINK', KEYS[1], unpack(KEYS, 3))
return {'OK'}
`;
