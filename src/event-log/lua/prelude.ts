/**
 * Lua functions that the scripts of the event log share. Each script runs atomically on the keys of
 * one run.
 *
 * The scripts build a frame from serialised parts: they insert only what they alone know (sequence,
 * timestamp, token totals). They never decode JSON, because cjson turns `[]` into `{}` and rounds
 * large integers. A control character marks where a total is inserted; JSON text never contains
 * one.
 *
 * Redis does not roll back a script that fails. Each script therefore validates first (`look`,
 * `frames_of`, `refused`) and writes last (`record`). Invalid input returns an `INVALID …` error,
 * and a command that the user may not run `NOPERM …`; both change nothing. A full memory is no such
 * case: Redis refuses only the first write of a script
 * (https://redis.io/docs/latest/develop/programmability/).
 *
 * State of a writer, in the hash `writers`: `epoch:step:first:last:claims:done`. `first` and `last`
 * are the sequences of the last step. `claims` counts the claims since the last step that made
 * progress, including the claim of that step if its session continues. The field `@writer` has the
 * name of the last claim and the step at which it was made.
 *
 * Tokens of a writer, in the hash `budget`: `reserved:used`. `reserve` reserves tokens before a
 * model call, an append with the usage of that call settles them, and a new claim frees them.
 */
export const PRELUDE = `
local function is_sealed(status) return status == 'completed' or status == 'failed' or status == 'cancelled' end

local function whole(n) return string.format('%d', n) end

-- Formats 1234567 as 1,234,567.
local function grouped(n)
  local text = string.gsub(string.reverse(whole(n)), '(%d%d%d)', '%1,')
  return (string.gsub(string.reverse(text), '^,', ''))
end

-- Formats hundred-millionths as a JSON number: 150000 as 0.0015.
local function decimal(units)
  local fraction = string.gsub(string.format('%08d', units % 100000000), '0+$', '')
  return whole(math.floor(units / 100000000)) .. (fraction == '' and '' or '.' .. fraction)
end

-- The tokens that a writer has reserved and used.
local function account(value)
  local reserved, used = string.match(value or '0:0', '^(%d+):(%d+)$')
  return tonumber(reserved), tonumber(used)
end

-- Civil date from days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date
-- algorithms").
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

-- The error of the first of these commands that an ACL does not let the user run; nil if it may run all.
local function refused(commands)
  for _, command in ipairs(commands) do
    if not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply("NOPERM the user may not run the '" .. string.lower(command[1]) .. "' command on " .. command[2] .. ' in a script')
    end
  end
end

-- The commands of record.
local function recording(channel)
  return {'XADD', KEYS[1], '*', 'f', ''}, {'HSET', KEYS[2], 'seq', '0'}, {'@PUBLISH', channel, ''}
end

-- The log's clock in ms. Never goes back behind the last time of the run.
local function clock(last)
  local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  last = tonumber(last or '0')
  return now < last and last or now
end

-- The fields of the state hash that an append needs, or nil if the run does not exist.
local function look(key)
  local s = redis.call('HMGET', key, 'status', 'seq', 'ms', 'input', 'output', 'bytes', 'cost')
  -- Without a sequence its creation was cut off half-way, and the run was never accepted.
  if not s[1] or not s[2] then return nil end
  return {
    status = s[1], seq = tonumber(s[2]), ms = s[3], input = tonumber(s[4]), output = tonumber(s[5]), bytes = tonumber(s[6] or '0'),
    cost = s[7] and tonumber(s[7])
  }
end

-- Evaluates a warning that a run gives at most once. Returns its tail, or false if it is not due.
-- The argument is name, or name:from:budget: due once "from" tokens are used. A warning below the
-- full budget is not given after the budget is used up.
local function warned(made, arg, tail, seq)
  local name, from, budget = string.match(arg, '^([%w-]+):?(%d*):?(%d*)$')
  if not name then return nil, 'INVALID a condition is name:from:budget' end
  if made.once[name] or redis.call('HEXISTS', KEYS[2], 'once:' .. name) == 1 then return false end
  local used = made.input + made.output
  if from ~= '' and used < tonumber(from) then return false end
  if budget ~= '' and tonumber(from) < tonumber(budget) and used >= tonumber(budget) then return false end
  made.once[name] = whole(seq)
  if budget == '' then return tail end
  tail = string.gsub(string.gsub(tail, '%z', whole(used)), '\\1', grouped(used))
  return (string.gsub(tail, '\\2', whole(math.floor(used * 100 / tonumber(budget)))))
end

-- Builds the frames of the events in ARGV from index i on; each event is (name, kind, argument,
-- tail). Returns nil and an error if an event is invalid. A warning that is not due makes no frame.
local function frames_of(run_id, i, state, ms)
  local made = {
    first = state.seq + 1, input = state.input, output = state.output, bytes = state.bytes, cost = state.cost, marks = {}, once = {}, used = 0
  }
  if (#ARGV + 1 - i) % 4 ~= 0 then return nil, redis.error_reply('INVALID an event has four parts') end
  local head = '\\ndata: {"run_id":"' .. run_id .. '","timestamp":"' .. iso(ms) .. '","sequence":'
  local seq = state.seq
  while i <= #ARGV do
    local name, kind, arg, tail = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
    i = i + 4
    if made.status then return nil, redis.error_reply('INVALID an event after the terminal one') end
    if kind == 'usage' then
      local input, output, cost = string.match(arg, '^(%d+):(%d+):(%d*)$')
      if not input then return nil, redis.error_reply('INVALID usage is input:output:cost') end
      made.input, made.output = made.input + tonumber(input), made.output + tonumber(output)
      made.used = made.used + input + output
      made.settles = true
      if cost ~= '' then made.cost = (made.cost or 0) + tonumber(cost) end
    elseif kind == 'seal' then
      if not is_sealed(arg) then return nil, redis.error_reply('INVALID no status seals a run that is called ' .. arg) end
      made.status = arg
    elseif kind == 'once' then
      local given, fault = warned(made, arg, tail, seq + 1)
      if fault then return nil, redis.error_reply(fault) end
      tail = given
    end
    if tail then
      seq = seq + 1
      if kind ~= '' then made.marks[#made.marks + 1] = {kind, arg, whole(seq)} end
      local cut = (kind == 'usage' or kind == 'seal') and string.find(tail, '\\0', 1, true)
      if cut then
        local total = whole(made.input + made.output)
        if kind == 'seal' then
          total = '{"input_tokens":' .. whole(made.input) .. ',"output_tokens":' .. whole(made.output) .. ',"total_tokens":' .. total ..
            (made.cost and ',"cost":' .. decimal(made.cost) or '') .. '}'
        end
        tail = string.sub(tail, 1, cut - 1) .. total .. string.sub(tail, cut + 1)
      end
      local frame = 'event: ' .. name .. '\\nid: ' .. whole(seq) .. head .. whole(seq) .. tail .. '\\n\\n'
      made.bytes = made.bytes + #frame
      made[#made + 1] = frame
    end
  end
  made.last = seq
  return made
end

-- Writes the frames and the indexes on them, and publishes the frames as one message. KEYS: log,
-- state, evidence, dispatches, reports.
local function record(made, channel, ms)
  for n = 1, #made do redis.call('XADD', KEYS[1], whole(made.first + n - 1) .. '-0', 'f', made[n]) end
  for _, mark in ipairs(made.marks) do
    if mark[1] == 'result' then redis.call('HSET', KEYS[3], mark[2], mark[3])
    elseif mark[1] == 'dispatch' then redis.call('HSET', KEYS[4], mark[2], mark[3])
    elseif mark[1] == 'report' then redis.call('HSET', KEYS[5], mark[2], mark[3])
    end
  end
  redis.call('HSET', KEYS[2], 'seq', whole(made.last), 'ms', whole(ms), 'input', whole(made.input), 'output', whole(made.output), 'bytes', whole(made.bytes))
  if made.cost then redis.call('HSET', KEYS[2], 'cost', whole(made.cost)) end
  for name, at in pairs(made.once) do redis.call('HSET', KEYS[2], 'once:' .. name, at) end
  if made.status then redis.call('HSET', KEYS[2], 'status', made.status, 'ended', whole(ms)) end
  if #made > 0 then
    redis.call('@PUBLISH', channel, whole(made.first) .. ' ' .. whole(made.last) .. (made.status and ' 1\\n' or ' 0\\n') .. table.concat(made))
  end
end
`;
