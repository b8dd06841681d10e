/**
 * Appends events of the service itself to a run that has not ended. No writer is claimed, so that a
 * run that waits for its first agent stays queued.
 *
 * KEYS: log, state, evidence, dispatches, reports.
 *
 * ARGV: run id; channel; maximum events of a log; maximum bytes of a log; bytes reserved for the
 * terminal event of a full log; the events.
 *
 * Returns one of:
 * - `['OK']`: recorded. Events that are given once and were given before are left out.
 * - `['SEALED', status]`: the run has ended.
 * - `['FULL']`: the log has no room for the events.
 * - `['MISSING']`: the run does not exist.
 */
export const NOTE = `
local state = look(KEYS[2])
if not state then return {'MISSING'} end
if is_sealed(state.status) then return {'SEALED', state.status} end
local ms = clock(state.ms)
local made, fault = frames_of(ARGV[1], 6, state, ms)
if fault then return fault end
if made.status then return redis.error_reply('INVALID a note does not end a run') end
if #made > 0 and (made.last > ARGV[3] - 1 or made.bytes > ARGV[4] - ARGV[5]) then return {'FULL'} end
fault = refused({recording(ARGV[2])})
if fault then return fault end
record(made, ARGV[2], ms)
return {'OK'}
`;
