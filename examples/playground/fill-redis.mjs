import { Redis } from 'ioredis';

/**
 * Fills a Redis that does not evict until it refuses writes, and then half a megabyte more, so that payments that expire
 * make no room. The keys represent an export of carts without an expiry.
 */
export async function fillRedis(url) {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, lazyConnect: true });
  try {
    await redis.connect();
    let written = 0;
    while (await writes(redis, `cart-export:${written}`, 4096)) written += 1;
    // A write is refused when memory is over the limit before it, whatever its size: with a little room, a big one still goes in.
    await redis.del(...Array.from({ length: 8 }, (_, i) => `cart-export:${written - 1 - i}`));
    // SETRANGE makes it in the server: the buffer of a long command would count too, and be free again after this connection.
    await redis.setrange('cart-export:index', 512 * 1024, 'x');
    if (await writes(redis, 'cart-export:last', 1))
      throw new Error('Redis still takes writes: was it started with maxmemory and noeviction?');
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
