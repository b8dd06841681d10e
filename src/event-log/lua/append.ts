/**
 * Appends one step of a writer.
 *
 * KEYS: log, state, evidence, dispatches, reports, writers, checkpoints, messages of the writer,
 * budget.
 *
 * ARGV: run id; channel; writer; epoch; step; progress (`1`: the step made progress, `2`: it did
 * and the session continues); `1` if this is the writer's last step; maximum events of a log;
 * maximum bytes of a log; bytes reserved for the terminal event of a full log; checkpoint (empty:
 * unchanged); number of messages; the messages; the events.
 *
 * Returns one of:
 * - `['OK', first, last, ms, tokens, events, bytes]`: recorded. All but `first` and `last` are
 *   those of the run after this append. A repeated (writer, step) returns the recorded `first`
 *   and `last`, and the others as they are.
 * - `['SEALED', status]`: the run has ended.
 * - `['FENCED', epoch]`: the epoch is old, or the writer is done.
 * - `['GAP', step]`: the step is not the next one.
 * - `['FULL']`: the log has no room for the step.
 * - `['MISSING']`: the run does not exist.
 */
export const APPEND = `
local state = look(KEYS[2])
if not state then return {'MISSING'} end
local known = redis.call('HGET', KEYS[6], ARGV[3])
if not known then return is_sealed(state.status) and {'SEALED', state.status} or {'GAP', 0} end
local epoch, step, first, last, claims, done = string.match(known, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d)$')
if epoch ~= ARGV[4] then return {'FENCED', epoch} end
if step == ARGV[5] then return {'OK', first, last, state.ms, whole(state.input + state.output), whole(state.seq), whole(state.bytes)} end
if is_sealed(state.status) then return {'SEALED', state.status} end
if done == '1' then return {'FENCED', epoch} end
if tonumber(ARGV[5]) ~= step + 1 then return {'GAP', step} end
local ms = clock(state.ms)
local n = tonumber(ARGV[12])
local made, fault = frames_of(ARGV[1], 13 + n, state, ms)
if fault then return fault end
local room = made.status and 0 or 1
if #made > 0 and (made.last > ARGV[8] - room or made.bytes > ARGV[9] - room * ARGV[10]) then return {'FULL'} end
local denied = refused({
  {'HDEL', KEYS[7], ''}, {'DEL', KEYS[8]}, {'RPUSH', KEYS[8], ''}, {'HSET', KEYS[6], '', ''}, recording(ARGV[2])
})
if denied then return denied end
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
return {'OK', whole(made.first), whole(made.last), whole(ms), whole(made.input + made.output), whole(made.last), whole(made.bytes)}
`;
