/**
 * Appends one step of a writer. KEYS: log, state, evidence, dispatches, reports, writers, checkpoints, messages of the
 * writer, budget. ARGV: run id, channel, writer, epoch, step, `1` if it makes progress and `2` if it does and is not the
 * stretch's last, `1` if it is the writer's last, most events of a log, most bytes of a log, bytes of it kept free for the
 * event that ends a full log, checkpoint (empty: none), number of messages, the messages, then the events.
 *
 * Answers `['OK', first, last, ms, tokens]` (those of the run so far), where a repeated (writer, step) gets what the first
 * one recorded (`ms` and `tokens` are of the last append of the run then); `['SEALED', status]`; `['FENCED', epoch]` to an
 * older epoch or a writer that is done; `['GAP', step]` to a step that is not the next one; `['FULL']` where the log has no
 * room for the step; `['MISSING']`.
 */
export const APPEND = `
local state = look(KEYS[2])
if not state then return {'MISSING'} end
local known = redis.call('HGET', KEYS[6], ARGV[3])
if not known then return is_sealed(state.status) and {'SEALED', state.status} or {'GAP', 0} end
local epoch, step, first, last, claims, done = string.match(known, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d)$')
if epoch ~= ARGV[4] then return {'FENCED', epoch} end
if step == ARGV[5] then return {'OK', first, last, state.ms, whole(state.input + state.output)} end
if is_sealed(state.status) then return {'SEALED', state.status} end
if done == '1' then return {'FENCED', epoch} end
if tonumber(ARGV[5]) ~= step + 1 then return {'GAP', step} end
local ms = clock(state.ms)
local n = tonumber(ARGV[12])
local made, fault = frames_of(ARGV[1], 13 + n, state, ms)
if fault then return fault end
local room = made.status and 0 or 1
if #made > 0 and (made.last > ARGV[8] - room or made.bytes > ARGV[9] - room * ARGV[10]) then return {'FULL'} end
record(made, ARGV[2], ms)
if ARGV[7] == '1' then
  redis.call('HDEL', KEYS[7], ARGV[3])
  redis.call('DEL', KEYS[8])
  redis.call('HDEL', KEYS[9], ARGV[3])
else
  for i = 13, 12 + n do redis.call('RPUSH', KEYS[8], ARGV[i]) end
  if ARGV[11] ~= '' then redis.call('HSET', KEYS[7], ARGV[3], ARGV[11]) end
  if made.settles then
    local _, used = account(redis.call('HGET', KEYS[9], ARGV[3]))
    redis.call('HSET', KEYS[9], ARGV[3], '0:' .. whole(used + made.used))
  end
end
if ARGV[6] == '1' then claims = '0' elseif ARGV[6] == '2' then claims = '1' end
redis.call('HSET', KEYS[6], ARGV[3], string.format('%s:%s:%d:%d:%s:%s', epoch, ARGV[5], made.first, made.last, claims, ARGV[7]))
return {'OK', whole(made.first), whole(made.last), whole(ms), whole(made.input + made.output)}
`;
