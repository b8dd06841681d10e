import type { Redis } from 'ioredis';

/** The commands for hashes of a Redis, in memory. */
export function memoryHashes(): Redis {
  const hashes = new Map<string, Map<string, string>>();
  const of = (key: string) => {
    const hash = hashes.get(key) ?? new Map<string, string>();
    hashes.set(key, hash);
    return hash;
  };
  return {
    hget: async (key: string, field: string) => of(key).get(field) ?? null,
    hset: async (key: string, field: string, value: string | number) =>
      of(key).set(field, String(value)),
    hgetall: async (key: string) => Object.fromEntries(of(key)),
  } as unknown as Redis;
}
