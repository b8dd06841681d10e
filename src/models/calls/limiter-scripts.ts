/**
 * The Lua of the limiter. Each script runs atomically on the keys of one model, by the clock of Redis. A lease and a place in
 * the queue both run out unless they are kept, so that who dies leaves nothing behind.
 *
 * KEYS: `leases` (sorted set: id by when it runs out), `tokens` (hash: id → token of the lease), `queue` (sorted set: id by
 * priority and arrival), `waiting` (sorted set: id by when its place runs out), `starts` (sorted set: calls of the last minute
 * by their start), `hold` (string: until when nobody starts), `breaker` (hash: `failures` in a row; `times` it has opened since
 * it was last closed, and `until` when; `trial`, the token of the lease that tries meanwhile).
 */
const PRELUDE = `
local leases, tokens, queue, waiting, starts, hold, breaker = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
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

-- Ms for which the breaker is open. How long a trial takes nobody knows: it is worth asking again soon.
local function open()
  local b = look()
  if b.times == 0 or b.left == 0 then return 0 end
  return b.trial == '' and b.left or math.min(b.left, 1000)
end

local function forget()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
    local trial = look().trial
    if trial ~= '' and redis.call('HGET', tokens, id) == trial then set('trial', '', 'until', now) end
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
 * ARGV: id, priority, token, lease ms, ms after which one who waits asks again, ms that its place outlives that, concurrency,
 * per minute (0: no bound), ms that a trial may take, `1` for one who calls though the breaker is open. Answers `['granted', 0]`
 * with a lease (also when it was given before and the answer was lost), or why it is to wait in its place in the queue, and for how many
 * ms: `hold` (the provider said so), `rate`, or `busy` with -1: until somebody has ended. `open` has no place: it is to ask
 * another model. A lease that another process left under the same id goes over to this one.
 */
export const ENTER = `${PRELUDE}
local id, priority, token, lease_ms, park_ms, slack_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local concurrency, per_minute, trial_ms = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
forget()
if redis.call('ZSCORE', leases, id) then
  local trial = look().trial
  if trial ~= '' and redis.call('HGET', tokens, id) == trial then set('trial', token) end
  redis.call('ZADD', leases, now + lease_ms, id)
  redis.call('HSET', tokens, id, token)
  return {'granted', 0}
end
local shut = open()
if shut > 0 and ARGV[10] ~= '1' then
  redis.call('ZREM', queue, id)
  redis.call('ZREM', waiting, id)
  return {'open', shut}
end
if not redis.call('ZSCORE', queue, id) then redis.call('ZADD', queue, priority * 1e13 + now, id) end
local function wait(why, ms)
  local place_ms = (ms < 0 and park_ms or ms) + slack_ms
  redis.call('ZADD', waiting, now + place_ms, id)
  keep(lease_ms + place_ms)
  return {why, ms}
end
local pause = held()
if pause > 0 then return wait('hold', pause) end
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
if per_minute > 0 then redis.call('ZADD', starts, now, token) end
local b = look()
if b.times > 0 and (b.left == 0 or b.trial == '') then set('trial', token, 'until', now + trial_ms) end
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

/**
 * Gives a lease back (with its token) or a place (without), if it is still there, and says what came of the call: `ok`,
 * `failed`, `refused` (which says nothing of the model's health), or `abandoned`. ARGV: id, token, concurrency, per minute, what
 * came of it, ms for which nobody is to start (0: none; a longer hold stays), ms in which one who is called is to come, then the breaker's: failures in a row that open it,
 * ms that it is open the first time, and at most.
 * Answers ms for which the breaker is open, and the ids that may start now, the first first; of a breaker that has just
 * opened, all that wait: they may want to go elsewhere.
 */
export const LEAVE = `${PRELUDE}
local id, token, outcome, hold_ms, come_ms = ARGV[1], ARGV[2], ARGV[5], math.floor(tonumber(ARGV[6])), tonumber(ARGV[7])
local most, open_ms, most_open_ms = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
forget()
if hold_ms > held() then redis.call('SET', hold, now + hold_ms, 'PX', hold_ms) end

local opened = false
local function heed()
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
  heed()
end
local shut = open()
if opened then return {shut, redis.call('ZRANGE', queue, 0, 99)} end
if held() > 0 then return {shut, {}} end
local places = room(tonumber(ARGV[3]), tonumber(ARGV[4]))
if places == 0 then return {shut, {}} end
local next = redis.call('ZRANGE', queue, 0, math.min(places, 100) - 1)
for _, one in ipairs(next) do redis.call('ZADD', waiting, 'LT', now + come_ms, one) end
return {shut, next}
`;
