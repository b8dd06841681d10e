/**
 * Reads the tool results of a run.
 *
 * KEYS: log, evidence. ARGV: the beginning of their ids (empty: all); maximum number of frames;
 * sequences that the caller knows, whose frames are left out.
 *
 * Returns `[evidence, frames]`: id and sequence of all results of the run, by turns, and the first
 * frames of those that begin so and are not known.
 */
export const RESULTS = `
local most, known, sequences, frames = tonumber(ARGV[2]), {}, {}, {}
for i = 3, #ARGV do known[ARGV[i]] = true end
local evidence = redis.call('HGETALL', KEYS[2])
for i = 1, #evidence, 2 do
  if string.sub(evidence[i], 1, #ARGV[1]) == ARGV[1] and not known[evidence[i + 1]] then
    sequences[#sequences + 1] = tonumber(evidence[i + 1])
  end
end
table.sort(sequences)
for i = 1, math.min(most, #sequences) do
  local id = string.format('%d-0', sequences[i])
  local entry = redis.call('XRANGE', KEYS[1], id, id)[1]
  if entry then frames[#frames + 1] = entry[2][2] end
end
return {evidence, frames}
`;
