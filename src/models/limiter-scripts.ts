/**
 * The Lua of the limiter. Each script runs atomically on the keys of one model, by the clock of Redis. A lease and a place in
 * the queue both run out unless they are kept, so that who dies leaves nothing behind.
 *
 * KEYS: `leases` (sorted set: id by when it runs out), `tokens` (hash: id → token of the lease), `queue` (sorted set: id by
 * priority and arrival), `waiting` (sorted set: id by when its place runs out), `starts` (sorted set: calls of the last minute
 * by their start), `hold` (string: until when nobody starts).
 */
const PRELUDE = `
local leases, tokens, queue, waiting, starts, hold = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local function forget()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do redis.call('HDEL', tokens, id) end
  redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', waiting, '-inf', now)) do redis.call('ZREM', queue, id) end
  redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', starts, '-inf', now - 60000)
end

local function held()
  return math.max(0, tonumber(redis.call('GET', hold) or '0') - now)
end

-- How many may start now, and ms until one more may, as far as that is known.
local function room(concurrency, per_minute)
  local free = concurrency > 0 and concurrency - redis.call('ZCARD', leases) or 1000000
  local left = per_minute > 0 and per_minute - redis.call('ZCARD', starts) or 1000000
  return math.max(0, math.min(free, left)), left
end

local function keep(ms)
  for i = 1, 5 do redis.call('PEXPIRE', KEYS[i], math.max(ms, 120000)) end
end
`;

/**
 * ARGV: id, priority, token, lease ms, place ms, concurrency, per minute (0: no bound). Answers `['granted', 0]` with a lease
 * (also when it was given before and the answer was lost), or why it is to wait in its place in the queue, and for how many
 * ms: `hold` (the provider said so), `rate`, or `busy` with -1: until somebody has ended. A lease that another process left under the same id goes over to this one.
 */
export const ENTER = `${PRELUDE}
local id, priority, token, lease_ms, place_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local concurrency, per_minute = tonumber(ARGV[6]), tonumber(ARGV[7])
forget()
if redis.call('ZSCORE', leases, id) then
  redis.call('ZADD', leases, now + lease_ms, id)
  redis.call('HSET', tokens, id, token)
  return {'granted', 0}
end
if not redis.call('ZSCORE', queue, id) then redis.call('ZADD', queue, priority * 1e13 + now, id) end
redis.call('ZADD', waiting, now + place_ms, id)
keep(lease_ms + place_ms)
local wait = held()
if wait > 0 then return {'hold', wait} end
local rank = redis.call('ZRANK', queue, id)
local places, left = room(concurrency, per_minute)
if rank >= places then
  if rank < left or per_minute == 0 then return {'busy', -1} end
  local first = redis.call('ZRANGE', starts, rank - left, rank - left, 'WITHSCORES')
  if not first[2] then return {'busy', -1} end
  return {'rate', math.max(1, first[2] + 60000 - now)}
end
redis.call('ZREM', queue, id)
redis.call('ZREM', waiting, id)
redis.call('ZADD', leases, now + lease_ms, id)
redis.call('HSET', tokens, id, token)
if per_minute > 0 then redis.call('ZADD', starts, now, token) end
keep(lease_ms)
return {'granted', 0}
`;

/** ARGV: id, token, lease ms. Answers 1, or 0 when the lease is not ours any more. */
export const RENEW = `${PRELUDE}
forget()
if redis.call('HGET', tokens, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', leases, now + ARGV[3], ARGV[1])
keep(tonumber(ARGV[3]))
return 1
`;

/** ARGV: id, token, concurrency, per minute. Gives a lease or a place back. Answers the ids that may start now, the first first. */
export const LEAVE = `${PRELUDE}
forget()
if ARGV[2] == '' or redis.call('HGET', tokens, ARGV[1]) == ARGV[2] then
  redis.call('ZREM', queue, ARGV[1])
  redis.call('ZREM', waiting, ARGV[1])
  if ARGV[2] ~= '' then
    redis.call('ZREM', leases, ARGV[1])
    redis.call('HDEL', tokens, ARGV[1])
  end
end
if held() > 0 then return {} end
local places = room(tonumber(ARGV[3]), tonumber(ARGV[4]))
if places == 0 then return {} end
return redis.call('ZRANGE', queue, 0, math.min(places, 100) - 1)
`;

/** ARGV: ms. Nobody starts for so long; a longer hold stays. */
export const HOLD = `${PRELUDE}
local ms = math.floor(tonumber(ARGV[1]))
if ms > held() then redis.call('SET', hold, now + ms, 'PX', ms) end
return 1
`;
