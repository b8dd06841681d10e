/** Which process of Redis this is, as far as it says so: another one may have less than was acknowledged. */
export const STORE = `
local function store()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
end
`;
