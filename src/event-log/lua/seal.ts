/**
 * Ends a run from outside its agents (cancel, deadline, orphan).
 *
 * KEYS: log, state, evidence, dispatches, reports.
 *
 * ARGV: run id; channel; number of reports and number of tool results that the terminal event was
 * built from (results: -1 for any); the terminal event.
 *
 * Returns one of:
 * - `['OK', first, last, ms]`: sealed.
 * - `['SEALED', status]`: the run had ended before.
 * - `['STALE', reports]`: a report or a result was recorded in the meantime. Build the event again.
 * - `['MISSING']`: the run does not exist.
 */
export const SEAL = `
local state = look(KEYS[2])
if not state then return {'MISSING'} end
if is_sealed(state.status) then return {'SEALED', state.status} end
local reports = redis.call('HLEN', KEYS[5])
if reports ~= tonumber(ARGV[3]) then return {'STALE', reports} end
if ARGV[4] ~= '-1' and redis.call('HLEN', KEYS[3]) ~= tonumber(ARGV[4]) then return {'STALE', reports} end
local ms = clock(state.ms)
local made, fault = frames_of(ARGV[1], 5, state, ms)
if fault then return fault end
if not made.status then return redis.error_reply('INVALID no terminal event') end
fault = refused({recording(ARGV[2])})
if fault then return fault end
record(made, ARGV[2], ms)
return {'OK', whole(made.first), whole(made.last), whole(ms)}
`;
