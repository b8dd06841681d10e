/**
 * Reserves tokens of the run's budget for a model call of a writer.
 *
 * KEYS: state, writers, budget, dispatches, reports.
 *
 * ARGV: writer; epoch; tokens wanted (0 returns the reservation); total budget; its share for the
 * top agent; its share for team supervisors; its share for workers.
 *
 * The sum of used and reserved tokens has a ceiling per writer: the total budget for the top agent,
 * less the top's share for a team supervisor, less both shares for a worker. Below the ceiling,
 * tokens are kept for agents that still work: for each team an equal part of the workers' share,
 * and for each of its workers an equal part of that. Other tokens are granted in the order of the
 * calls, including those that were kept for agents that have reported. A part does not grow when
 * others report, because that would reduce what is kept for agents that have not begun. If less is
 * left than what is kept, because agents were dispatched late, it is granted in the order of the
 * calls to those that have not used their part.
 *
 * Returns one of:
 * - `['GRANTED', tokens, used]`: fewer tokens than wanted if no other reservation is open.
 * - `['WAIT', 0, used]`: another reservation is open and may return tokens.
 * - `['SPENT', 0, used]`: no tokens are left for this writer.
 * - `['SEALED']`, `['FENCED']`, `['MISSING']`: as `append`.
 */
export const RESERVE = `
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
local teams, workers, has_sent, count, all_teams = {}, {}, {}, {}, 0
for _, id in ipairs(redis.call('HKEYS', KEYS[4])) do
  local team = string.match(id, '^(d%d+)_')
  if team then
    has_sent[team] = true
    count[team] = (count[team] or 0) + 1
    if not ended[id] then workers[#workers + 1] = {id = id, team = team} end
  else
    all_teams = all_teams + 1
    if not ended[id] then teams[#teams + 1] = id end
  end
end
local ceiling, owing, own = budget, 0, 0
local function owe(id, share)
  local a = accounts[id] or {held = 0, spent = 0}
  if id == me then own = math.max(0, math.floor(share) - a.spent)
  else owing = owing + math.max(0, math.floor(share) - a.spent - a.held) end
end

if string.find(me, '_', 1, true) then
  ceiling = budget - for_top - for_teams
  local of_team = shared / math.max(1, all_teams)
  for _, worker in ipairs(workers) do owe(worker.id, of_team / count[worker.team]) end
  for _, team in ipairs(teams) do if not has_sent[team] then owing = owing + math.floor(of_team) end end
elseif me ~= 'top' then
  ceiling = budget - for_top
  for _, team in ipairs(teams) do owe(team, for_teams / all_teams) end
end
local free = ceiling - used - reserved - owing
if want <= free then return grant(want) end
if reserved > 0 then return {'WAIT', '0', whole(used)} end
if free > 0 then return grant(free) end
local rest = math.min(want, own, ceiling - used)
if rest > 0 then return grant(rest) end
return {'SPENT', '0', whole(used)}
`;
