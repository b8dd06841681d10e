/**
 * The Lua of the event log. Each script runs atomically on the keys of one run.
 *
 * A frame is made here from ready bytes: only what the script alone knows (sequence, timestamp, running token totals) is
 * spliced in; JSON is never decoded (cjson turns `[]` into `{}` and rounds big integers). A slot for totals is a control
 * character, which JSON text never contains.
 *
 * Redis does not take back what a script did before it failed. So each script looks first (`look`, `frames_of`) and touches
 * something only when nothing can go wrong any more (`record`). A fault in what it is given is answered with an `INVALID …`
 * error, and leaves no trace.
 *
 * State of a writer, in the hash `writers`: `epoch:step:first:last:claims:done`, where `first` and `last` are what the
 * last step recorded, and `claims` counts the claims since the last step that made progress; the claim under which that was
 * made is one of them if it goes on after it. In `@writer` of the same hash: the name that the last claim had.
 *
 * Tokens of a writer, in the hash `budget`: `reserved:used`. Reserved by `reserve` before a model call; an append with its
 * usage settles it, and a new claim frees what was reserved by whoever held the writer before.
 */
export const PRELUDE = `
local function is_sealed(status) return status == 'completed' or status == 'failed' or status == 'cancelled' end

local function whole(n) return string.format('%d', n) end

-- 1234567 as 1,234,567.
local function grouped(n)
  local text = string.gsub(string.reverse(whole(n)), '(%d%d%d)', '%1,')
  return (string.gsub(string.reverse(text), '^,', ''))
end

-- Hundred-millionths as a decimal number of JSON: 150000 as 0.0015.
local function decimal(units)
  local fraction = string.gsub(string.format('%08d', units % 100000000), '0+$', '')
  return whole(math.floor(units / 100000000)) .. (fraction == '' and '' or '.' .. fraction)
end

-- What a writer has reserved and used.
local function account(value)
  local reserved, used = string.match(value or '0:0', '^(%d+):(%d+)$')
  return tonumber(reserved), tonumber(used)
end

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

-- The state hash as far as appending needs it, or nil where there is no run.
local function look(key)
  local s = redis.call('HMGET', key, 'status', 'seq', 'ms', 'input', 'output', 'bytes', 'cost')
  if not s[1] then return nil end
  return {
    status = s[1], seq = tonumber(s[2]), ms = s[3], input = tonumber(s[4]), output = tonumber(s[5]), bytes = tonumber(s[6] or '0'),
    cost = s[7] and tonumber(s[7])
  }
end

-- Whether a warning is given that is given once in a run, and the tail that it has then. Its argument: name, or
-- name:from:budget, where it waits until so many tokens of the budget were used.
local function warned(made, arg, tail)
  local name, from, budget = string.match(arg, '^([%w-]+):?(%d*):?(%d*)$')
  if not name then return nil, 'INVALID a condition is name:from:budget' end
  if made.once[name] or redis.call('HEXISTS', KEYS[2], 'once:' .. name) == 1 then return false end
  local used = made.input + made.output
  if from ~= '' and used < tonumber(from) then return false end
  made.once[name] = true
  if budget == '' then return tail end
  tail = string.gsub(string.gsub(tail, '%z', whole(used)), '\\1', grouped(used))
  return (string.gsub(tail, '\\2', whole(math.floor(used * 100 / tonumber(budget)))))
end

-- The frames of the events in ARGV from index i on (name, kind, argument, tail each), as they follow on the state; nil and
-- an error where one of them is not what it should be. A warning whose condition does not hold has none.
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
      local given, fault = warned(made, arg, tail)
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

-- Writes the frames and what must be found without reading the log, and publishes them as one message.
-- KEYS: log, state, evidence, dispatches, reports.
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
  for name in pairs(made.once) do redis.call('HSET', KEYS[2], 'once:' .. name, '1') end
  if made.status then redis.call('HSET', KEYS[2], 'status', made.status, 'ended', whole(ms)) end
  if #made > 0 then
    redis.call('@PUBLISH', channel, whole(made.first) .. ' ' .. whole(made.last) .. (made.status and ' 1\\n' or ' 0\\n') .. table.concat(made))
  end
end
`;

/** Which process of Redis this is, as far as it says so: another one may have less than was acknowledged. */
const STORE = `
local function store()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
end
`;

/**
 * Begins a run. KEYS: log, state, evidence, dispatches, reports. ARGV: run id, channel, number of fields, the fields of
 * the state hash (name, value each; the number counts both), then the first events. Answers `['OK', created ms, last]`; a
 * run that exists already is answered with what it was created with, so that a repeated call is harmless.
 */
const CREATE = `
${STORE}
local known = redis.call('HMGET', KEYS[2], 'created', 'seq')
if known[1] then return {'OK', known[1], known[2]} end
local ms = clock('0')
local n = tonumber(ARGV[3])
local made, fault = frames_of(ARGV[1], 4 + n, {seq = 0, input = 0, output = 0, bytes = 0}, ms)
if fault then return fault end
redis.call('HSET', KEYS[2], 'status', 'queued', 'version', '1', 'created', whole(ms), 'store', store())
for i = 4, 3 + n, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
record(made, ARGV[2], ms)
return {'OK', whole(ms), whole(made.last)}
`;

/**
 * Begins a stretch of a writer's work, and frees what it had reserved. KEYS: state, writers, checkpoints, messages of the writer, budget. ARGV: writer, how many claims
 * without progress make it a suspect (0: any number will do), `0` for a claim that does not count (the process that
 * claimed it before is alive and says so), and the name of the claim, empty for none: the same name again, with nothing
 * recorded in between, is the same claim, whose answer was lost.
 * Answers `['MISSING']`, `['SEALED', status]`, `['DONE']` (the writer has reported), `['SUSPECT', claims]` (nothing is
 * claimed) or `['CLAIMED', epoch, step, claims without progress, checkpoint or nil, messages, created ms of the run, its
 * tokens so far]`.
 */
const CLAIM = `
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
  return {'CLAIMED', tonumber(epoch), tonumber(step), tonumber(claims), redis.call('HGET', KEYS[3], ARGV[1]), redis.call('LRANGE', KEYS[4], 0, -1), state[3], tokens}
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
return {'CLAIMED', epoch, tonumber(step), claims, redis.call('HGET', KEYS[3], ARGV[1]), redis.call('LRANGE', KEYS[4], 0, -1), state[3], tokens}
`;

/**
 * Appends one step of a writer. KEYS: log, state, evidence, dispatches, reports, writers, checkpoints, messages of the writer, budget.
 * ARGV: run id, channel, writer, epoch, step, `1` if it makes progress and `2` if it does and is not the stretch's last, `1` if it is the writer's last, most events of a log,
 * most bytes of a log, bytes of it kept free for the event that ends a full log, checkpoint (empty: none), number of messages,
 * the messages, then the events.
 * Answers `['OK', first, last, ms, tokens]` (those of the run so far), where a repeated (writer, step) gets what the first one
 * recorded (`ms` and `tokens` are of the last append of the run then); `['SEALED', status]`; `['FENCED', epoch]` to an older epoch or a writer that is done;
 * `['GAP', step]` to a step that is not the next one; `['FULL']` where the log has no room for the step; `['MISSING']`.
 */
const APPEND = `
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

/**
 * Reserves tokens of the run's budget for a model call of a writer, or says that there are none for it. KEYS: state, writers,
 * budget, dispatches, reports. ARGV: writer, epoch, tokens wanted (0: gives back what it has), and the budget with its shares:
 * all, kept for the top, kept for team supervisors, shared out among workers.
 *
 * Every writer has a ceiling that what is used and reserved may come to: all for the top, less the top's share for a team's
 * supervisor, less both for a worker. Below it, whoever still works is owed its share: a team an equal part of the shared
 * tokens, its workers equal parts of that; the rest is for whoever comes first. Who has reported is owed nothing, so that
 * others may use what it left.
 *
 * Answers \`['GRANTED', tokens, used]\`, which is less than was wanted where nobody else's call could give any back;
 * \`['WAIT', 0, used]\` while one could; \`['SPENT', 0, used]\`; \`['SEALED']\`, \`['FENCED']\`, \`['MISSING']\`.
 */
const RESERVE = `
local state = look(KEYS[1])
if not state then return {'MISSING'} end
if is_sealed(state.status) then return {'SEALED'} end
local me, want = ARGV[1], tonumber(ARGV[3])
local budget, for_top, for_teams, shared = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local epoch, _, _, _, _, done = string.match(redis.call('HGET', KEYS[2], me) or '', '^(%d+):(%d+):(%d+):(%d+):(%d+):(%d)$')
if epoch ~= ARGV[2] or done == '1' then return {'FENCED'} end
local used = state.input + state.output

local accounts, reserved = {}, 0
local known = redis.call('HGETALL', KEYS[3])
for i = 1, #known, 2 do
  local held, spent = account(known[i + 1])
  accounts[known[i]] = {held = held, spent = spent}
  if known[i] ~= me then reserved = reserved + held end
end
local mine = accounts[me] or {held = 0, spent = 0}
local function grant(tokens)
  redis.call('HSET', KEYS[3], me, whole(tokens) .. ':' .. whole(mine.spent))
  return {'GRANTED', whole(tokens), whole(used)}
end
if want == 0 then return grant(0) end

local ended = {}
for _, id in ipairs(redis.call('HKEYS', KEYS[5])) do ended[id] = true end
local teams, workers, has_sent, count = {}, {}, {}, {}
for _, id in ipairs(redis.call('HKEYS', KEYS[4])) do
  local team = string.match(id, '^(d%d+)_')
  if team then has_sent[team] = true end
  if not ended[id] then
    if team then
      workers[#workers + 1] = {id = id, team = team}
      count[team] = (count[team] or 0) + 1
    else
      teams[#teams + 1] = id
    end
  end
end
local function owed(id, share)
  local a = accounts[id] or {held = 0, spent = 0}
  return id == me and 0 or math.max(0, math.floor(share) - a.spent - a.held)
end

local ceiling, owing = budget, 0
if string.find(me, '_', 1, true) then
  ceiling = budget - for_top - for_teams
  local of_team = shared / math.max(1, #teams)
  for _, worker in ipairs(workers) do owing = owing + owed(worker.id, of_team / count[worker.team]) end
  for _, team in ipairs(teams) do if not has_sent[team] then owing = owing + math.floor(of_team) end end
elseif me ~= 'top' then
  ceiling = budget - for_top
  for _, team in ipairs(teams) do owing = owing + owed(team, for_teams / #teams) end
end
local free = ceiling - used - reserved - owing
if want <= free then return grant(want) end
if reserved > 0 then return {'WAIT', '0', whole(used)} end
if free > 0 then return grant(free) end
return {'SPENT', '0', whole(used)}
`;

/**
 * Ends a run from outside of its agents (cancel, deadline, orphan). KEYS: log, state, evidence, dispatches, reports.
 * ARGV: run id, channel, number of reports that the terminal event was folded from, then that event.
 * Answers `['OK', first, last, ms]`, `['SEALED', status]`, `['STALE', reports]` when a report came in between, `['MISSING']`.
 */
const SEAL = `
local state = look(KEYS[2])
if not state then return {'MISSING'} end
if is_sealed(state.status) then return {'SEALED', state.status} end
local reports = redis.call('HLEN', KEYS[5])
if reports ~= tonumber(ARGV[3]) then return {'STALE', reports} end
local ms = clock(state.ms)
local made, fault = frames_of(ARGV[1], 4, state, ms)
if fault then return fault end
if not made.status then return redis.error_reply('INVALID no terminal event') end
record(made, ARGV[2], ms)
return {'OK', whole(made.first), whole(made.last), whole(ms)}
`;

/**
 * Drops the log of a run that has ended; its state stays, with the terminal frame in it. KEYS: log, state, then all other
 * keys of the run that go. ARGV: none. Answers `['OK']` (also when it was done before), `['OPEN']` to a run that has not
 * ended, `['MISSING']`.
 */
const TRIM = `
local state = redis.call('HMGET', KEYS[2], 'status', 'trimmed')
if not state[1] then return {'MISSING'} end
if not is_sealed(state[1]) then return {'OPEN'} end
if state[2] then return {'OK'} end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
redis.call('HSET', KEYS[2], 'trimmed', whole(clock('0')), 'terminal', last and last[2][2] or '')
redis.call('HDEL', KEYS[2], 'spec')
redis.call('UNLINK', KEYS[1], unpack(KEYS, 3))
return {'OK'}
`;

/**
 * Remembers that a log has lost its end. KEYS: state. ARGV: the last sequence that is known to have been seen of what was lost.
 * Nothing happens where there is no such run.
 */
const LOST = `
local known = redis.call('HMGET', KEYS[1], 'status', 'lost')
if known[1] and tonumber(ARGV[1]) > tonumber(known[2] or '0') then redis.call('HSET', KEYS[1], 'lost', ARGV[1]) end
return {'OK'}
`;

/** KEYS: state. ARGV: none. Answers 1 where the run was not created in this process of Redis, 0 where it was or nobody knows. */
const MOVED = `
${STORE}
local began = redis.call('HGET', KEYS[1], 'store')
return began and began ~= '' and began ~= store() and 1 or 0
`;

/**
 * Counts how often a run was started again without getting any further. Whoever does so at the same time counts once.
 * KEYS: state. ARGV: none. Answers the count.
 */
const STARTED = `
local s = redis.call('HMGET', KEYS[1], 'status', 'seq', 'starts')
if not s[1] or is_sealed(s[1]) then return 0 end
local count, seq, at = string.match(s[3] or '', '^(%d+):(%d+):(%d+)$')
if seq ~= s[2] then count, at = '0', '0' end
local ms = clock('0')
if ms - at < 1000 then return tonumber(count) end
redis.call('HSET', KEYS[1], 'starts', string.format('%d:%s:%s', count + 1, s[2], whole(ms)))
return count + 1
`;

export type ScriptName = 'create' | 'claim' | 'append' | 'reserve' | 'seal' | 'trim' | 'lost' | 'moved' | 'started';

/**
 * The scripts, ready to be defined.
 * @param publish `SPUBLISH` in a cluster, so that a message stays in the shard of its run
 */
export function logScripts(publish: 'PUBLISH' | 'SPUBLISH'): Record<ScriptName, string> {
  const prelude = PRELUDE.replace('@PUBLISH', publish);
  return {
    create: prelude + CREATE,
    claim: prelude + CLAIM,
    append: prelude + APPEND,
    reserve: prelude + RESERVE,
    seal: prelude + SEAL,
    trim: prelude + TRIM,
    lost: LOST,
    moved: MOVED,
    started: prelude + STARTED,
  };
}
