import type { Redis } from 'ioredis';

/**
 * The Lua of the connection limiter, by the clock of Redis.
 *
 * KEYS: `leases` (sorted set: token by when it runs out), `starts` (sorted set: token by when it
 * began) and `waiting` (hash: process → since when it waits and until when that counts) of one
 * host; `owners` (hash: token → probe and the deaths known when it began), `deaths` (hash: probe →
 * deaths in a row), `quarantine` (hash: `host:port` → JSON) and `lost` (sorted set: token by when
 * its lease had run out, for an hour) of all. A probe is `host:port tool`.
 *
 * ARGV: process, lease ms, connections at once, per second, deaths that quarantine; the numbers of
 * probes that ended, that were withdrawn, that are under way and that are wanted; token,
 * `host:port` and tool of each that ended or was withdrawn; the tokens of those under way; token,
 * `host:port` and tool of each that is wanted. Answers one number for each of the latter (the
 * deaths of the probe; -1: quarantined; -2: wait), then the ms after which to ask again, and 1 if
 * that is the limit of a second.
 *
 * Of the leases that have run out, those that began before a death was known belong to that death,
 * as two runs of one process do. A process that was taken for dead, and names the place again,
 * lifts the quarantine that this made. Each command may be sent again after its reply was lost: it
 * does nothing a second time. Deaths of one probe are forgotten after a week in which no other is
 * recorded.
 */
const EXCHANGE = `
local leases, starts, waiting = KEYS[1], KEYS[2], KEYS[3]
local owners, deaths, quarantine, lost = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local process, lease_ms, at_once = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local per_second, fatal, week, hour = tonumber(ARGV[4]), tonumber(ARGV[5]), 604800, 3600000
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local at = 10
local function take()
  at = at + 1
  return ARGV[at - 1]
end

-- The process of a place that was lost is alive after all.
local function take_back(token, target, tool)
  if redis.call('ZREM', lost, token) == 0 then return end
  redis.call('HDEL', deaths, target .. ' ' .. tool)
  local found = redis.call('HGET', quarantine, target)
  if found and cjson.decode(found).tool == tool then redis.call('HDEL', quarantine, target) end
end

local ended, withdrawn = tonumber(ARGV[6]), tonumber(ARGV[7])
for i = 1, ended + withdrawn do
  local token, target, tool = take(), take(), take()
  take_back(token, target, tool)
  redis.call('HDEL', owners, token)
  if redis.call('ZREM', leases, token) == 1 and i <= ended then
    redis.call('HDEL', deaths, target .. ' ' .. tool)
  end
end
for _ = 1, tonumber(ARGV[8]) do redis.call('ZADD', leases, 'XX', now + lease_ms, take()) end

redis.call('ZREMRANGEBYSCORE', lost, '-inf', now - hour)
for _, token in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  redis.call('ZREM', leases, token)
  redis.call('ZADD', lost, now, token)
  redis.call('PEXPIRE', lost, hour)
  local probe, known = string.match(redis.call('HGET', owners, token) or '', '^(%S+ %S+) ?(%d*)$')
  redis.call('HDEL', owners, token)
  if probe then
    local dead = tonumber(redis.call('HGET', deaths, probe) or '0')
    dead = math.max(dead, (tonumber(known) or dead) + 1)
    redis.call('HSET', deaths, probe, dead)
    redis.call('EXPIRE', deaths, week)
    if dead >= fatal then
      local target, tool = string.match(probe, '^(%S+) (%S+)$')
      redis.call('HDEL', deaths, probe)
      redis.call('HSET', quarantine, target, cjson.encode({tool = tool, at = now}))
    end
  end
end

local answer, begun, refused = {}, 0, 0
local wanted = tonumber(ARGV[9])
if wanted == 0 then
  redis.call('HDEL', waiting, process)
  return answer
end
redis.call('ZREMRANGEBYSCORE', starts, '-inf', now - 1000)
local free = math.min(at_once - redis.call('ZCARD', leases), per_second - redis.call('ZCARD', starts))
local since, others = now, redis.call('HGETALL', waiting)
local turns = {}
for i = 1, #others, 2 do
  local from, to = string.match(others[i + 1], '^(%d+) (%d+)$')
  if others[i] == process then since = tonumber(from)
  elseif tonumber(to) <= now then redis.call('HDEL', waiting, others[i])
  else turns[#turns + 1] = tonumber(from) end
end
for _, from in ipairs(turns) do if from < since then free = free - 1 end end

for i = 1, wanted do
  local token, target, tool = take(), take(), take()
  take_back(token, target, tool)
  local probe = target .. ' ' .. tool
  local dead = tonumber(redis.call('HGET', deaths, probe) or '0')
  if redis.call('ZSCORE', leases, token) then answer[i] = dead
  elseif redis.call('HEXISTS', quarantine, target) == 1 then answer[i] = -1
  elseif begun >= free then
    answer[i] = -2
    refused = refused + 1
  else
    begun = begun + 1
    answer[i] = dead
    redis.call('ZADD', starts, now, token)
    redis.call('ZADD', leases, now + lease_ms, token)
    redis.call('HSET', owners, token, probe .. ' ' .. answer[i])
  end
end
if begun > 0 then
  redis.call('PEXPIRE', starts, 2000)
  redis.call('EXPIRE', leases, week)
  redis.call('EXPIRE', owners, week)
  since = now
end
if refused == 0 then
  redis.call('HDEL', waiting, process)
  return answer
end
local ms, rate = math.min(math.max(now - since, 20), 250), 0
if redis.call('ZCARD', starts) >= per_second then
  ms, rate = math.max(10, redis.call('ZRANGE', starts, 0, 0, 'WITHSCORES')[2] + 1001 - now), 1
end
redis.call('HSET', waiting, process, since .. ' ' .. (now + ms + 500))
redis.call('PEXPIRE', waiting, 5000)
answer[wanted + 1], answer[wanted + 2] = ms, rate
return answer
`;

/** The script as a command of a connection, which sends its digest. */
interface PlaceScript {
  consiliumPlaces(...args: (string | number)[]): Promise<number[]>;
}

/**
 * Defines the script of the limiter as a command of a connection: seven keys first, then arguments.
 */
export function definePlaceScript(redis: Redis): PlaceScript {
  redis.defineCommand('consiliumPlaces', { lua: EXCHANGE, numberOfKeys: 7 });
  return redis as unknown as PlaceScript;
}
