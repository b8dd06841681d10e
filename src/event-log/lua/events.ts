/**
 * Reads events of a log: one command however many there are.
 *
 * KEYS: log. ARGV: the sequences. Returns their frames, without those that were deleted.
 */
export const EVENTS = `
local frames = {}
for i = 1, #ARGV do
  local entry = redis.call('XRANGE', KEYS[1], ARGV[i] .. '-0', ARGV[i] .. '-0')[1]
  if entry then frames[#frames + 1] = entry[2][2] end
end
return frames
`;
