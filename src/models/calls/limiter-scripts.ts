/**
 * The Lua scripts of the limiter. Each script runs atomically on the keys of one model and uses the
 * clock of Redis. A lease and a place in the queue expire unless they are renewed, so that a
 * process that dies leaves nothing behind.
 *
 * KEYS: `leases` (sorted set: id by time of expiry), `tokens` (hash: id → token of the lease),
 * `queue` (sorted set: id by priority and order or arrival), `waiting` (sorted set: id by time at
 * which its place expires), `starts` (sorted set: calls of the last minute by start), `hold`
 * (string: no call may start before this time), `breaker` (hash: `failures`, consecutive; `times`,
 * how often it opened since it was last closed; `until`, when it may be tried; `trial`, the token
 * of the lease of the trial call), `probe` (string: after a hold that was shorter than the provider
 * asked for, `wanted`, or the token of the lease of the one call that tests whether the provider
 * takes calls again), `native` (string: the id of the model that made a native tool call under this
 * name; expires).
 */
const PRELUDE = `
local leases, tokens, queue, waiting, starts, hold, breaker, probe, native = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local function look()
  local b = redis.call('HMGET', breaker, 'failures', 'times', 'until', 'trial')
  local till = tonumber(b[3] or '0')
  return {failures = tonumber(b[1] or '0'), times = tonumber(b[2] or '0'), left = math.max(0, till - now), trial = b[4] or ''}
end

local function set(...)
  redis.call('HSET', breaker, ...)
  redis.call('PEXPIRE', breaker, 600000)
end

-- Ms until the breaker may be tried again. The length of a trial is unknown, so that callers ask again after at most 1 s.
local function open()
  local b = look()
  if b.times == 0 or b.left == 0 then return 0 end
  return b.trial == '' and b.left or math.min(b.left, 1000)
end

-- Whether a call is under way that tests a provider after a hold.
local function probing()
  local p = redis.call('GET', probe)
  return p and p ~= 'wanted'
end

local function want()
  redis.call('SET', probe, 'wanted', 'PX', 600000)
end

local function forget()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
    local trial = look().trial
    if trial ~= '' and redis.call('HGET', tokens, id) == trial then set('trial', '', 'until', now) end
    if probing() and redis.call('HGET', tokens, id) == redis.call('GET', probe) then want() end
    redis.call('HDEL', tokens, id)
  end
  redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', waiting, '-inf', now)) do redis.call('ZREM', queue, id) end
  redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', starts, '-inf', now - 60000)
end

local function held()
  return math.max(0, tonumber(redis.call('GET', hold) or '0') - now)
end

-- Returns how many calls may start now, and how many the limit per minute would allow.
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
 * Asks for a lease. ARGV: id, priority, token, lease ms, ms after which a waiting caller asks
 * again, ms for which its place is kept after that, concurrency, calls per minute (0: no bound), ms
 * that a trial may take, `1` to call although the breaker is open, order (0: that of arrival).
 * Returns `['granted', 0]` with a lease, also if it was granted before and the answer was lost.
 * Otherwise returns the reason for the wait and its ms: `hold` (the provider asked for a pause),
 * `rate`, or `busy` with -1 (until a call ends). Returns `['open', ms]` if the breaker is open: the
 * queue keeps no place, and the caller chooses another model. A lease that another process holds
 * under the same id is transferred to this one.
 */
export const ENTER = `${PRELUDE}
local id, priority, token, lease_ms, park_ms, slack_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local concurrency, per_minute, trial_ms = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
forget()
if redis.call('ZSCORE', leases, id) then
  local trial = look().trial
  if trial ~= '' and redis.call('HGET', tokens, id) == trial then set('trial', token) end
  if probing() and redis.call('HGET', tokens, id) == redis.call('GET', probe) then redis.call('SET', probe, token, 'PX', 600000) end
  redis.call('ZADD', leases, now + lease_ms, id)
  redis.call('HSET', tokens, id, token)
  return {'granted', 0, redis.call('GET', native) or ''}
end
local shut = open()
if shut > 0 and ARGV[10] ~= '1' then
  redis.call('ZREM', queue, id)
  redis.call('ZREM', waiting, id)
  return {'open', shut}
end
if not redis.call('ZSCORE', queue, id) then 
  local order = tonumber(ARGV[11] or '0')
  redis.call('ZADD', queue, priority * 1e13 + (order > 0 and order or now), id)
end
local function wait(why, ms)
  local place_ms = (ms < 0 and park_ms or ms) + slack_ms
  redis.call('ZADD', waiting, now + place_ms, id)
  keep(lease_ms + place_ms)
  return {why, ms}
end
local pause = held()
if pause > 0 then return wait('hold', pause) end
if probing() then return wait('hold', 1000) end
local rank = redis.call('ZRANK', queue, id)
local places, left = room(concurrency, per_minute)
if rank >= places then
  if rank < left or per_minute == 0 then return wait('busy', -1) end
  local first = redis.call('ZRANGE', starts, rank - left, rank - left, 'WITHSCORES')
  if not first[2] then return wait('busy', -1) end
  return wait('rate', math.max(1, first[2] + 60000 - now))
end
redis.call('ZREM', queue, id)
redis.call('ZREM', waiting, id)
redis.call('ZADD', leases, now + lease_ms, id)
redis.call('HSET', tokens, id, token)
if redis.call('GET', probe) then redis.call('SET', probe, token, 'PX', 600000) end
if per_minute > 0 then redis.call('ZADD', starts, now, token) end
local b = look()
if b.times > 0 and (b.left == 0 or b.trial == '') then set('trial', token, 'until', now + trial_ms) end
keep(lease_ms)
return {'granted', 0, redis.call('GET', native) or ''}
`;

/**
 * Renews a lease. ARGV: id, token, lease ms. Returns 1, or 0 if this token no longer holds the
 * lease.
 */
export const RENEW = `${PRELUDE}
forget()
if redis.call('HGET', tokens, ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', leases, now + ARGV[3], ARGV[1])
keep(tonumber(ARGV[3]))
return 1
`;

/**
 * Releases a lease (with its token) or a place in the queue (without), if it still exists, and
 * reports the outcome of the call: `ok`, `failed`, `refused` (does not count against the health of
 * the model), or `abandoned`. ARGV: id, token, concurrency, calls per minute, outcome, ms for which
 * no call may start (0: none; a longer hold stays), `1` if the provider asked for longer, ms within
 * which a woken caller must ask, then for the breaker: consecutive failures that open it, ms for
 * which it is open the first time, and the maximum; last the id of the model if it has made native
 * tool calls, otherwise empty. Returns the ms for which the breaker is open, and the ids of the
 * callers that may start now, in order. If the breaker has just opened, returns up to 100 waiting
 * callers, so that they can choose another model.
 */
export const LEAVE = `${PRELUDE}
local id, token, outcome, hold_ms, come_ms = ARGV[1], ARGV[2], ARGV[5], math.floor(tonumber(ARGV[6])), tonumber(ARGV[8])
local most, open_ms, most_open_ms = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
if ARGV[12] ~= '' then redis.call('SET', native, ARGV[12], 'PX', 86400000) end
forget()
if hold_ms > held() then redis.call('SET', hold, now + hold_ms, 'PX', hold_ms) end
if ARGV[7] == '1' then redis.call('SET', probe, 'wanted', 'PX', hold_ms + 600000)
elseif token ~= '' and redis.call('GET', probe) == token then
  if outcome == 'ok' then redis.call('DEL', probe) else want() end
end

local opened = false
local function settle()
  local b = look()
  local tried = b.trial ~= '' and b.trial == token
  if outcome == 'ok' or (outcome == 'refused' and tried) then redis.call('DEL', breaker)
  elseif outcome == 'abandoned' and tried then set('trial', '', 'until', now)
  elseif outcome == 'failed' and (b.times == 0 or tried) then
    opened = tried or b.failures + 1 >= most
    if not opened then return set('failures', b.failures + 1) end
    set('failures', 0, 'times', b.times + 1, 'trial', '', 'until', now + math.min(open_ms * 2 ^ b.times, most_open_ms))
  end
end

if token == '' then
  redis.call('ZREM', queue, id)
  redis.call('ZREM', waiting, id)
elseif redis.call('HGET', tokens, id) == token then
  redis.call('ZREM', queue, id)
  redis.call('ZREM', waiting, id)
  redis.call('ZREM', leases, id)
  redis.call('HDEL', tokens, id)
  settle()
end
local shut = open()
if opened then return {shut, redis.call('ZRANGE', queue, 0, 99)} end
if held() > 0 or probing() then return {shut, {}} end
local places = room(tonumber(ARGV[3]), tonumber(ARGV[4]))
if places == 0 then return {shut, {}} end
local next = redis.call('ZRANGE', queue, 0, math.min(places, 100) - 1)
for _, one in ipairs(next) do redis.call('ZADD', waiting, 'LT', now + come_ms, one) end
return {shut, next}
`;
