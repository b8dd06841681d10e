import { LOG_VERSION } from '../log-version.js';
import { STORE } from './store.js';

/**
 * Creates a run. Repeating the call has no effect and returns the recorded values.
 *
 * KEYS: log, state, evidence, dispatches, reports.
 *
 * ARGV: run id; channel; number of values that follow for the state hash; these values (name and
 * value in turn); the first events.
 *
 * Returns `['OK', ms of creation, last sequence]`, and the head of a run that was created before.
 */
export const CREATE = `
${STORE}
local known = redis.call('HMGET', KEYS[2], 'created', 'seq', 'head')
if known[1] and known[2] then return {'OK', known[1], known[2], known[3]} end
local ms = clock('0')
local n = tonumber(ARGV[3])
local made, fault = frames_of(ARGV[1], 4 + n, {seq = 0, input = 0, output = 0, bytes = 0}, ms)
fault = fault or refused({recording(ARGV[2])})
if fault then return fault end
redis.call('HSET', KEYS[2], 'status', 'queued', 'version', '${LOG_VERSION}', 'created', whole(ms), 'store', store())
for i = 4, 3 + n, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
record(made, ARGV[2], ms)
return {'OK', whole(ms), whole(made.last)}
`;
