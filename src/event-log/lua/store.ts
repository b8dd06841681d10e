/**
 * Lua function that returns the id of the Redis process, or an empty string if INFO is not allowed.
 * Another process may have lost acknowledged writes.
 */
export const STORE = `
local function store()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
end
`;
