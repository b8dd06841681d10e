/**
 * The Lua of the event log. Each script runs atomically on the keys of one run.
 *
 * A frame is made here from ready bytes: only what the script alone knows (sequence, timestamp, running token totals) is
 * spliced in; JSON is never decoded (cjson turns `[]` into `{}` and rounds big integers). A slot for totals is a NUL
 * byte, which JSON text never contains.
 *
 * State of a writer, in the hash `writers`: `epoch:step:first:last:claims:done`, where `first` and `last` are what the
 * last step recorded, and `claims` counts the claims since the last step that made progress.
 */
const PRELUDE = `
local function is_sealed(status) return status == 'completed' or status == 'failed' or status == 'cancelled' end

-- Civil date from days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms").
local function iso(ms)
  local s = math.floor(ms / 1000)
  local days = math.floor(s / 86400)
  local rest = s - days * 86400
  local z = days + 719468
  local era = math.floor(z / 146097)
  local doe = z - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  local d = doy - math.floor((153 * mp + 2) / 5) + 1
  local m = mp < 10 and mp + 3 or mp - 9
  local y = yoe + era * 400 + (m <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', y, m, d, math.floor(rest / 3600), math.floor(rest / 60) % 60, rest % 60, ms % 1000)
end

-- The log's clock in ms, never before what the run has seen.
local function clock(last)
  local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  last = tonumber(last or '0')
  return now < last and last or now
end

-- Appends the events in ARGV from index i on (name, kind, argument, tail each) and publishes them as one message.
-- KEYS: log, state, evidence, dispatches, reports. Returns the last sequence.
local function emit(run_id, channel, i, seq, ms)
  local stamp = iso(ms)
  local first = seq + 1
  local frames = {}
  local sealed = '0'
  while i <= #ARGV do
    local name, kind, arg, tail = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
    i = i + 4
    seq = seq + 1
    if kind == 'usage' then
      local input, output = string.match(arg, '^(%d+):(%d+)$')
      redis.call('HINCRBY', KEYS[2], 'input', input)
      redis.call('HINCRBY', KEYS[2], 'output', output)
    end
    local cut = string.find(tail, '\\0', 1, true)
    if cut then
      local tokens = redis.call('HMGET', KEYS[2], 'input', 'output')
      local input, output = tonumber(tokens[1]), tonumber(tokens[2])
      local total = string.format('%d', input + output)
      if kind ~= 'usage' then
        total = string.format('{"input_tokens":%d,"output_tokens":%d,"total_tokens":%s}', input, output, total)
      end
      tail = string.sub(tail, 1, cut - 1) .. total .. string.sub(tail, cut + 1)
    end
    local frame = 'event: ' .. name .. '\\nid: ' .. string.format('%d', seq) .. '\\ndata: {"run_id":"' .. run_id .. '","timestamp":"' .. stamp
      .. '","sequence":' .. string.format('%d', seq) .. tail .. '\\n\\n'
    redis.call('XADD', KEYS[1], string.format('%d-0', seq), 'f', frame)
    frames[#frames + 1] = frame
    if kind == 'result' then redis.call('HSET', KEYS[3], arg, seq)
    elseif kind == 'dispatch' then redis.call('HSET', KEYS[4], arg, seq)
    elseif kind == 'report' then redis.call('HSET', KEYS[5], arg, seq)
    elseif kind == 'seal' then
      sealed = '1'
      redis.call('HSET', KEYS[2], 'status', arg, 'ended', ms)
    end
  end
  redis.call('HSET', KEYS[2], 'seq', seq, 'ms', ms)
  if #frames > 0 then
    redis.call('PUBLISH', channel, string.format('%d %d %s\\n', first, seq, sealed) .. table.concat(frames))
  end
  return seq
end
`;

/**
 * Begins a run. KEYS: log, state, evidence, dispatches, reports. ARGV: run id, channel, number of fields, the fields of
 * the state hash (name, value each; the number counts both), then the first events. Answers `['OK', created ms, last]`; a run that exists already is
 * answered with what it was created with, so that a repeated call is harmless.
 */
export const CREATE = `${PRELUDE}
local known = redis.call('HMGET', KEYS[2], 'created', 'seq')
if known[1] then return {'OK', known[1], known[2]} end
local ms = clock('0')
local n = tonumber(ARGV[3])
redis.call('HSET', KEYS[2], 'status', 'queued', 'created', ms, 'input', 0, 'output', 0)
for i = 4, 3 + n, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
local last = emit(ARGV[1], ARGV[2], 4 + n, 0, ms)
return {'OK', string.format('%d', ms), string.format('%d', last)}
`;

/**
 * Begins a stretch of a writer's work. KEYS: state, writers, checkpoints, messages of the writer. ARGV: writer, how many claims
 * without progress make it a suspect (0: any number will do), and `0` for a claim that does not count (the process that
 * claimed it before is alive and says so).
 * Answers `['MISSING']`, `['SEALED', status]`, `['DONE']` (the writer has reported), `['SUSPECT', claims]` (nothing is
 * claimed) or `['CLAIMED', epoch, step, claims without progress, checkpoint or nil, messages]`.
 */
export const CLAIM = `${PRELUDE}
local status = redis.call('HGET', KEYS[1], 'status')
if not status then return {'MISSING'} end
if is_sealed(status) then return {'SEALED', status} end
local epoch, step, first, last, claims, done = 0, 0, 0, 0, 0, '0'
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then epoch, step, first, last, claims, done = string.match(known, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d)$') end
if done == '1' then return {'DONE'} end
local suspect = tonumber(ARGV[2])
if suspect > 0 and tonumber(claims) >= suspect then return {'SUSPECT', tonumber(claims)} end
epoch, claims = epoch + 1, claims + tonumber(ARGV[3])
redis.call('HSET', KEYS[2], ARGV[1], string.format('%d:%d:%d:%d:%d:0', epoch, step, first, last, claims))
if status == 'queued' then
  local ms = clock(redis.call('HGET', KEYS[1], 'ms'))
  redis.call('HSET', KEYS[1], 'status', 'running', 'started', ms)
end
return {'CLAIMED', epoch, tonumber(step), claims, redis.call('HGET', KEYS[3], ARGV[1]), redis.call('LRANGE', KEYS[4], 0, -1)}
`;

/**
 * Appends one step of a writer. KEYS: log, state, evidence, dispatches, reports, writers, checkpoints, messages of the writer.
 * ARGV: run id, channel, writer, epoch, step, `1` if it makes progress, `1` if it is the writer's last, checkpoint (empty:
 * none), number of messages, the messages, then the events.
 * Answers `['OK', first, last, ms]`, where a repeated (writer, step) gets what the first one recorded; `['SEALED', status]`;
 * `['FENCED', epoch]` to an older epoch or a writer that is done; `['GAP', step]` to a step that is not the next one; `['MISSING']`.
 */
export const APPEND = `${PRELUDE}
local state = redis.call('HMGET', KEYS[2], 'status', 'seq', 'ms')
if not state[1] then return {'MISSING'} end
local known = redis.call('HGET', KEYS[6], ARGV[3])
if not known then return {'GAP', 0} end
local epoch, step, first, last, claims, done = string.match(known, '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d)$')
if epoch ~= ARGV[4] then return {'FENCED', epoch} end
if step == ARGV[5] then return {'OK', first, last, state[3]} end
if is_sealed(state[1]) then return {'SEALED', state[1]} end
if done == '1' then return {'FENCED', epoch} end
if tonumber(ARGV[5]) ~= step + 1 then return {'GAP', step} end
local seq = tonumber(state[2])
local ms = clock(state[3])
local n = tonumber(ARGV[9])
for i = 10, 9 + n do redis.call('RPUSH', KEYS[8], ARGV[i]) end
local to = emit(ARGV[1], ARGV[2], 10 + n, seq, ms)
if ARGV[7] == '1' then
  redis.call('HDEL', KEYS[7], ARGV[3])
  redis.call('DEL', KEYS[8])
elseif ARGV[8] ~= '' then
  redis.call('HSET', KEYS[7], ARGV[3], ARGV[8])
end
if ARGV[6] == '1' then claims = '0' end
redis.call('HSET', KEYS[6], ARGV[3], string.format('%s:%s:%d:%d:%s:%s', epoch, ARGV[5], seq + 1, to, claims, ARGV[7]))
return {'OK', string.format('%d', seq + 1), string.format('%d', to), string.format('%d', ms)}
`;

/**
 * Ends a run from outside of its agents (cancel, deadline, orphan). KEYS: log, state, evidence, dispatches, reports.
 * ARGV: run id, channel, number of reports that the terminal event was folded from, then that event.
 * Answers `['OK', first, last, ms]`, `['SEALED', status]`, `['STALE', reports]` when a report came in between, `['MISSING']`.
 */
export const SEAL = `${PRELUDE}
local state = redis.call('HMGET', KEYS[2], 'status', 'seq', 'ms')
if not state[1] then return {'MISSING'} end
if is_sealed(state[1]) then return {'SEALED', state[1]} end
local reports = redis.call('HLEN', KEYS[5])
if reports ~= tonumber(ARGV[3]) then return {'STALE', reports} end
local seq = tonumber(state[2])
local ms = clock(state[3])
local to = emit(ARGV[1], ARGV[2], 4, seq, ms)
return {'OK', string.format('%d', seq + 1), string.format('%d', to), string.format('%d', ms)}
`;
