import { LOG_VERSION } from '../log-version.js';

/**
 * Starts a session of a writer and frees the tokens that the writer had reserved.
 *
 * KEYS: state, writers, checkpoints, messages of the writer, budget.
 *
 * ARGV: writer; number of claims without progress that makes it a suspect (0: no limit); `0` if the
 * claim does not count, because the process of the earlier claim is alive and repeats it, otherwise
 * `1`; name of the claim (empty: none). A claim with the name of the last claim and no step in
 * between is a retry of that claim.
 *
 * Returns one of:
 * - `['CLAIMED', epoch, step, claims without progress, checkpoint or nil, messages, ms of creation,
 *   tokens of the run, ms now]`.
 * - `['SUSPECT', claims]`: too many claims without progress. Nothing is claimed.
 * - `['DONE']`: the writer has reported.
 * - `['SEALED', status]`: the run has ended.
 * - `['NEWER']`: a later version of the service wrote the run. Nothing is claimed.
 * - `['MISSING']`: the run does not exist.
 */
export const CLAIM = `
local state = redis.call('HMGET', KEYS[1], 'status', 'ms', 'created', 'input', 'output', 'seq', 'version')
local tokens = (tonumber(state[4]) or 0) + (tonumber(state[5]) or 0)
local status = state[1]
if not status or not state[6] then return {'MISSING'} end
if is_sealed(status) then return {'SEALED', status} end
if state[7] and state[7] ~= '${LOG_VERSION}' then return {'NEWER'} end
local epoch, step, first, last, claims, done = 0, 0, 0, 0, 0, '0'
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then epoch, step, first, last, claims, done = string.match(known, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d)$') end
if done == '1' then return {'DONE'} end
if ARGV[4] ~= '' and known and redis.call('HGET', KEYS[2], '@' .. ARGV[1]) == ARGV[4] .. ':' .. step then
  return {'CLAIMED', tonumber(epoch), tonumber(step), tonumber(claims), redis.call('HGET', KEYS[3], ARGV[1]), redis.call('LRANGE', KEYS[4], 0, -1), state[3], tokens, whole(clock(state[2]))}
end
local suspect = tonumber(ARGV[2])
if suspect > 0 and tonumber(claims) >= suspect then return {'SUSPECT', tonumber(claims)} end
epoch, claims = epoch + 1, claims + tonumber(ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], string.format('%d:%d:%d:%d:%d:0', epoch, step, first, last, claims), '@' .. ARGV[1], ARGV[4] .. ':' .. step)
local reserved, used = account(redis.call('HGET', KEYS[5], ARGV[1]))
if reserved > 0 then redis.call('HSET', KEYS[5], ARGV[1], '0:' .. whole(used)) end
if status == 'queued' then
  local ms = whole(clock(state[2]))
  redis.call('HSET', KEYS[1], 'status', 'running', 'started', ms, 'ms', ms)
end
return {'CLAIMED', epoch, tonumber(step), claims, redis.call('HGET', KEYS[3], ARGV[1]), redis.call('LRANGE', KEYS[4], 0, -1), state[3], tokens, whole(clock(state[2]))}
`;
