/**
 * Begins a stretch of a writer's work, and frees what it had reserved. KEYS: state, writers, checkpoints, messages of the
 * writer, budget. ARGV: writer, how many claims without progress make it a suspect (0: any number will do), `0` for a claim
 * that does not count (the process that claimed it before is alive and says so), and the name of the claim, empty for none:
 * the same name again, with nothing recorded in between, is the same claim, whose answer was lost.
 *
 * Answers `['MISSING']`, `['SEALED', status]`, `['DONE']` (the writer has reported), `['SUSPECT', claims]` (nothing is
 * claimed) or `['CLAIMED', epoch, step, claims without progress, checkpoint or nil, messages, created ms of the run, its
 * tokens so far, ms now]`.
 */
export const CLAIM = `
local state = redis.call('HMGET', KEYS[1], 'status', 'ms', 'created', 'input', 'output')
local tokens = (tonumber(state[4]) or 0) + (tonumber(state[5]) or 0)
local status = state[1]
if not status then return {'MISSING'} end
if is_sealed(status) then return {'SEALED', status} end
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
