/**
 * Writes a topology and increments its version, if the mode allows it.
 *
 * KEYS: record, index, versions, files, history. ARGV: mode, id, topology, card, owner, write,
 * file hash, number of versions that are kept, number of topologies that may be created or 0.
 *
 * Modes: `create` (must not exist), `replace` (must exist), `file` (only if the file or its
 * topology has changed since it was loaded last; an edit through the API is only overwritten if the
 * file itself has changed). `write` identifies the call: ioredis sends a command again if its
 * connection breaks, and a repeated call returns the first result.
 *
 * Returns {outcome, version, createdAt, updatedAt, owner}. Outcomes: `written`, `exists`,
 * `full`, `unknown`, `unchanged`, `deleted`.
 */
export const WRITE_TOPOLOGY = `
local record, index, versions, files, history = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mode, id, topology, card, owner, write, file, kept, most = unpack(ARGV)
local found = redis.call('HMGET', record, 'write', 'version', 'createdAt', 'updatedAt', 'edited', 'topology', 'owner')
if found[1] == write then return {'written', found[2], found[3], found[4], found[7]} end
local exists = found[2] ~= false
if mode == 'create' and exists then return {'exists'} end
if mode == 'create' and tonumber(most) > 0 and redis.call('ZCARD', index) >= tonumber(most) then return {'full'} end
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
redis.call('HSET', history, version, now .. '\\n' .. topology)
redis.call('HDEL', history, string.format('%d', version - kept))
redis.call('ZADD', index, id, id)
return {'written', version, created, now, found[7] or owner}
`;

/** KEYS: record, index, history. ARGV: id. Returns the number of removed topologies. */
export const REMOVE_TOPOLOGY = `
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3])
return redis.call('DEL', KEYS[1])
`;
