import { checkStore } from './redis/check-store.js';
import { connect } from './redis/connect.js';
import { serversOf } from './redis/redis-url.js';
import { storeFault } from './redis/store-fault.js';

const WAIT_MS = 3_000;

/** Whether a Redis can be used. */
export interface RedisState {
  /** Its servers, without credentials. */
  endpoint: string;
  state: 'ok' | 'unreachable' | 'failed';
  /** What is wrong, or which data would be lost with it; empty if nothing. */
  detail: string;
}

/**
 * Checks the Redis at a URL against what the service requires at its start.
 * @param prefix REDIS_PREFIX
 */
export async function checkRedis(url: string, prefix: string): Promise<RedisState> {
  const endpoint = serversOf(url)
    .map(({ host, port }) => `${host}:${port}`)
    .join(', ');
  const fault = await storeFault(url, WAIT_MS);
  if (fault)
    return { endpoint, state: fault.isLasting ? 'failed' : 'unreachable', detail: fault.message };
  const redis = connect(url, WAIT_MS);
  try {
    const { refused, warned } = await checkStore(redis, prefix);
    const detail = [...refused, ...warned].join(' ');
    return { endpoint, state: refused.length > 0 ? 'failed' : 'ok', detail };
  } catch (error) {
    return { endpoint, state: 'unreachable', detail: String(error) };
  } finally {
    redis.disconnect();
  }
}
