/**
 * Writes one topology and gives it the next version, if its mode allows that.
 *
 * KEYS record, index, versions, files. ARGV mode, id, topology, card, owner, write, file hash.
 * Modes: `create` (must not be there), `replace` (must be there), `file`: only where the file or what it comes to has
 * changed since it was last loaded, and never over an edit made through the API since, unless the file itself has changed.
 * `write` names this one call: ioredis sends a command again when its connection breaks before the answer, and the second
 * must not count.
 *
 * Returns {outcome, version, createdAt, updatedAt, owner}, outcome `written`, `exists`, `unknown`, `unchanged` or `deleted`.
 */
export const WRITE_TOPOLOGY = `
local record, index, versions, files = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local mode, id, topology, card, owner, write, file = unpack(ARGV)
local found = redis.call('HMGET', record, 'write', 'version', 'createdAt', 'updatedAt', 'edited', 'topology', 'owner')
if found[1] == write then return {'written', found[2], found[3], found[4], found[7]} end
local exists = found[2] ~= false
if mode == 'create' and exists then return {'exists'} end
if mode == 'replace' and not exists then return {'unknown'} end
if mode == 'file' then
  local known = redis.call('HGET', files, id) == file
  redis.call('HSET', files, id, file)
  if known and not exists then return {'deleted'} end
  if exists and (found[6] == topology or (known and found[5] == '1')) then return {'unchanged', found[2], found[3], found[4]} end
end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local version = tostring(redis.call('HINCRBY', versions, id, 1))
local created = found[3] or now
redis.call('HSET', record, 'topology', topology, 'card', card, 'version', version, 'createdAt', created, 'updatedAt', now,
  'edited', mode == 'file' and '0' or '1', 'write', write, 'owner', found[7] or owner)
redis.call('ZADD', index, id, id)
return {'written', version, created, now, found[7] or owner}
`;

/** KEYS record, index. ARGV id. Returns how many were removed. */
export const REMOVE_TOPOLOGY = `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`;
