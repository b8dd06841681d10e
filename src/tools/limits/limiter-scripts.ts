import type { Redis } from 'ioredis';
import type { Admission } from './connection-limiter.js';

/**
 * The Lua of the connection limiter, by the clock of Redis.
 *
 * KEYS: `leases` (sorted set: token by when it runs out) and `starts` (sorted set: token by when it began) of one host;
 * `owners` (hash: token → probe and the deaths known when it began), `deaths` (hash: probe → deaths in a row) and `quarantine` (hash:
 * `host:port` → JSON) of all. A probe is `host:port tool`.
 */
const PRELUDE = `
local leases, starts, owners, deaths, quarantine = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/**
 * Of the leases that have run out: those that began before a death was known belong to that death, as two runs of one process do.
 */
const COUNT = `
local function count(lost)
  local probe, known = string.match(redis.call('HGET', owners, lost) or '', '^(%S+ %S+) ?(%d*)$')
  redis.call('HDEL', owners, lost)
  if not probe then return end
  local dead = tonumber(redis.call('HGET', deaths, probe) or '0')
  dead = math.max(dead, (tonumber(known) or dead) + 1)
  redis.call('HSET', deaths, probe, dead)
  if dead < fatal then return end
  local target, tool = string.match(probe, '^(%S+) (%S+)$')
  redis.call('HDEL', deaths, probe)
  redis.call('HSET', quarantine, target, cjson.encode({tool = tool, at = now}))
end
`;

/** Deaths of one probe are forgotten after a week in which no other is recorded. */
const WEEK_S = 604_800;

/**
 * ARGV: token, `host:port`, tool, lease ms, connections at once, per second, deaths that quarantine. Answers
 * `['granted', deaths]`, `['wait', ms]` or `['quarantined', 0]`.
 */
const ENTER = `${PRELUDE}
local token, target, tool = ARGV[1], ARGV[2], ARGV[3]
local lease_ms, at_once, per_second, fatal = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
${COUNT}
for _, lost in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', now)) do
  count(lost)
  redis.call('EXPIRE', deaths, ${WEEK_S})
end
redis.call('ZREMRANGEBYSCORE', leases, '-inf', now)
if redis.call('HEXISTS', quarantine, target) == 1 then return {'quarantined', 0} end
if redis.call('ZCARD', leases) >= at_once then return {'wait', 20} end
redis.call('ZREMRANGEBYSCORE', starts, '-inf', now - 1000)
if redis.call('ZCARD', starts) >= per_second then
  return {'wait', math.max(1, redis.call('ZRANGE', starts, 0, 0, 'WITHSCORES')[2] + 1001 - now)}
end
redis.call('ZADD', starts, now, token)
redis.call('PEXPIRE', starts, 2000)
redis.call('ZADD', leases, now + lease_ms, token)
redis.call('EXPIRE', leases, ${WEEK_S})
local known = tonumber(redis.call('HGET', deaths, target .. ' ' .. tool) or '0')
redis.call('HSET', owners, token, target .. ' ' .. tool .. ' ' .. known)
redis.call('EXPIRE', owners, ${WEEK_S})
return {'granted', known}
`;

/** ARGV: token, lease ms. Extends a lease that has not run out. */
const RENEW = `${PRELUDE}
if redis.call('ZSCORE', leases, ARGV[1]) then redis.call('ZADD', leases, now + ARGV[2], ARGV[1]) end
`;

/**
 * ARGV: token, `host:port`, tool. The process has survived the probe: its deaths in a row end here. One that was taken for
 * dead while it stood still also lifts the quarantine that this made.
 */
const LEAVE = `${PRELUDE}
local probe = ARGV[2] .. ' ' .. ARGV[3]
if redis.call('ZREM', leases, ARGV[1]) == 0 then
  local found = redis.call('HGET', quarantine, ARGV[2])
  if found and cjson.decode(found).tool == ARGV[3] then redis.call('HDEL', quarantine, ARGV[2]) end
end
redis.call('HDEL', owners, ARGV[1])
redis.call('HDEL', deaths, probe)
`;

type Call<Answer> = (...args: (string | number)[]) => Promise<Answer>;

/** The scripts as commands of a connection, which sends their digests: a probe enters and leaves for each of its connections. */
interface ProbeScripts {
  consiliumProbeEnter: Call<[Admission['kind'], number]>;
  consiliumProbeRenew: Call<unknown>;
  consiliumProbeLeave: Call<unknown>;
}

/** Defines the scripts of the limiter as commands of a connection: five keys first, then arguments. */
export function defineProbeScripts(redis: Redis): ProbeScripts {
  const scripts: Record<keyof ProbeScripts, string> = {
    consiliumProbeEnter: ENTER,
    consiliumProbeRenew: RENEW,
    consiliumProbeLeave: LEAVE,
  };
  for (const [name, lua] of Object.entries(scripts))
    redis.defineCommand(name, { lua, numberOfKeys: 5 });
  return redis as unknown as ProbeScripts;
}
