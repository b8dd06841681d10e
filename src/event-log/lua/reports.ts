/**
 * Reads the dispatches and reports of a run.
 *
 * KEYS: log, dispatches, reports. ARGV: the beginning of their dispatch ids (empty: all); sequences
 * that the caller knows, whose frames are left out.
 *
 * Returns `[sequences, frames]`: all that were found, and the frames of those that are not known.
 */
export const REPORTS = `
local known, sequences, frames = {}, {}, {}
for i = 2, #ARGV do known[ARGV[i]] = true end
for k = 2, 3 do
  local found = redis.call('HGETALL', KEYS[k])
  for i = 1, #found, 2 do
    local sequence = found[i + 1]
    if string.sub(found[i], 1, #ARGV[1]) == ARGV[1] then
      sequences[#sequences + 1] = sequence
      local entry = not known[sequence] and redis.call('XRANGE', KEYS[1], sequence .. '-0', sequence .. '-0')[1]
      if entry then frames[#frames + 1] = entry[2][2] end
    end
  end
end
return {sequences, frames}
`;
