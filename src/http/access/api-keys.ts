import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { Clock } from '../../lib/clock.js';
import { apiKeysKey, keyUsesKey } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { hashOf, idOfApiKey, isSameHash, makeApiKey } from './api-key.js';
import { digestOf } from './opaque-token.js';
import type { Principal } from './principal.js';
import { ROLES } from '../../domain/roles.js';

/**
 * How long a process considers a key valid without reading it again: the longest time for which a
 * revoked key still works.
 */
const CACHE_MS = 5_000;
const MOST_CACHED = 10_000;
/** How often a process records the use of a key. */
const NOTED_MS = 60_000;
const DAY_MS = 86_400_000;

const recordSchema = z.object({
  id: z.string(),
  /** Base64 of the SHA-256 of the key. */
  hash: z.string(),
  tenant: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: z.int(),
  expiresAt: z.int().optional(),
  revokedAt: z.int().optional(),
});
type KeyRecord = z.infer<typeof recordSchema>;

/** A key in the form that may be shown. */
export type KeyView = Omit<KeyRecord, 'hash'> & {
  /** In ms since 1970, to the minute; undefined: never. */
  lastUsedAt?: number;
};

export interface NewKey {
  tenant: string;
  name: string;
  role: Principal['role'];
  /** Undefined: it does not expire. */
  days?: number | undefined;
}

/** The API keys of the service, in Redis. */
@Injectable()
export class ApiKeys {
  private readonly key: string;
  private readonly uses: string;
  private readonly cache = new LRUCache<string, Principal>({
    max: MOST_CACHED,
    ttl: CACHE_MS,
  });
  /** Id of a key → when its use was last recorded. */
  private readonly noted = new LRUCache<string, number>({ max: MOST_CACHED });

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) config: Pick<Config, 'redisPrefix'>,
    private readonly clock: Clock,
  ) {
    this.key = apiKeysKey(config.redisPrefix);
    this.uses = keyUsesKey(config.redisPrefix);
  }

  /** @returns the key, which can be shown only this once */
  async create({ days, ...owner }: NewKey): Promise<{ key: string } & KeyView> {
    const { key, id, hash } = makeApiKey();
    const createdAt = this.clock.now();
    const view: KeyView = {
      id,
      ...owner,
      createdAt,
      ...(days !== undefined && { expiresAt: createdAt + days * DAY_MS }),
    };
    await this.write({ ...view, hash: hash.toString('base64') });
    return { key, ...view };
  }

  /**
   * Stores a key that an operator has created, for the first start of a service. Harmless when
   * repeated.
   */
  async put(key: string, owner: NewKey): Promise<void> {
    const id = idOfApiKey(key);
    if (id === undefined) throw new Error('this is not an API key: csk_…');
    const hash = hashOf(key).toString('base64');
    const { days: _, ...rest } = owner;
    const record: KeyRecord = { id, hash, ...rest, createdAt: this.clock.now() };
    await this.redis.hsetnx(this.key, id, JSON.stringify(record));
  }

  /** All keys, the newest last. */
  async list(): Promise<KeyView[]> {
    const [records, uses] = await Promise.all([
      this.redis.hgetall(this.key),
      this.redis.hgetall(this.uses),
    ]);
    return Object.values(records)
      .map(read)
      .map(({ hash: _, ...view }) => {
        const used = uses[view.id];
        return { ...view, ...(used !== undefined && { lastUsedAt: Number(used) }) };
      })
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  /**
   * @returns when it was revoked, in ms since 1970; undefined if there is no such key that was not
   *   revoked before
   */
  async revoke(id: string): Promise<number | undefined> {
    const record = await this.record(id);
    if (!record || record.revokedAt !== undefined) return undefined;
    const revokedAt = this.clock.now();
    await this.write({ ...record, revokedAt });
    return revokedAt;
  }

  /**
   * The principal of a key; undefined if the key is unknown, revoked or expired.
   * @throws the error of Redis
   */
  async principalOf(key: string): Promise<Principal | undefined> {
    const name = digestOf(key);
    const principal = this.cache.get(name) ?? (await this.check(key));
    if (!principal) return undefined;
    if (!this.cache.has(name)) this.cache.set(name, principal);
    const now = this.clock.now();
    const { expiresAt = Infinity, keyId } = principal;
    if (expiresAt <= now) return undefined;
    if (keyId !== undefined) this.noteUse(keyId, now);
    return principal;
  }

  /** Whether a key may still be used. */
  async isLive(id: string): Promise<boolean> {
    const record = await this.record(id);
    const { revokedAt, expiresAt = Infinity } = record ?? { revokedAt: 0 };
    return revokedAt === undefined && expiresAt > this.clock.now();
  }

  private async check(key: string): Promise<Principal | undefined> {
    const id = idOfApiKey(key);
    const record = id === undefined ? undefined : await this.record(id);
    if (!record || record.revokedAt !== undefined) return undefined;
    if (!isSameHash(Buffer.from(record.hash, 'base64'), hashOf(key))) return undefined;
    const { tenant, name, role, expiresAt } = record;
    return { tenant, name, role, keyId: record.id, ...(expiresAt !== undefined && { expiresAt }) };
  }

  /**
   * Stored beside the record, which a revocation may write at the same time. A request does not
   * wait for it, or fail with it.
   */
  private noteUse(id: string, now: number): void {
    if (now < (this.noted.get(id) ?? -Infinity) + NOTED_MS) return;
    this.noted.set(id, now);
    this.redis.hset(this.uses, id, now).catch(() => this.noted.delete(id));
  }

  private async record(id: string): Promise<KeyRecord | undefined> {
    const text = await this.redis.hget(this.key, id);
    return text === null ? undefined : read(text);
  }

  private async write(record: KeyRecord): Promise<void> {
    await this.redis.hset(this.key, record.id, JSON.stringify(record));
    this.cache.clear();
  }
}

const read = (text: string): KeyRecord => recordSchema.parse(JSON.parse(text));
