import { Redis } from 'ioredis';

/**
 * Fills a Redis that does not evict until it refuses writes, and half a megabyte more, so that
 * payments that expire do not free enough memory. The keys represent an export of carts without an
 * expiry.
 */
export async function fillRedis(url) {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, lazyConnect: true });
  try {
    await redis.connect();
    let written = 0;
    while (await writes(redis, `cart-export:${written}`, 4096)) written += 1;
    // Redis checks the limit before a write and ignores its size: with a little room, a large write
    // still succeeds.
    await redis.del(...Array.from({ length: 8 }, (_, i) => `cart-export:${written - 1 - i}`));
    // SETRANGE allocates in the server. The buffer of a long command would count, too, and be freed
    // with this connection.
    await redis.setrange('cart-export:index', 512 * 1024, 'x');
    if (await writes(redis, 'cart-export:last', 1))
      throw new Error('Redis still accepts writes. Start it with maxmemory and noeviction');
  } finally {
    redis.disconnect();
  }
}

async function writes(redis, key, size) {
  try {
    await redis.set(key, 'x'.repeat(size));
    return true;
  } catch (error) {
    if (String(error.message).startsWith('OOM')) return false;
    throw error;
  }
}
