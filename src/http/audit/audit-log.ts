import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { DAY_SECONDS } from '../../lib/day.js';
import { auditKeys } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { auditEntry, chained, isIntact, type AuditEntry, type AuditRecord } from './audit-entry.js';

const KEPT_MS = 400 * DAY_SECONDS * 1_000;
const MOST_KEPT = 1_000_000;
const MOST_TRIES = 50;
const PAGE = 500;

/**
 * Appends an entry if no other one has been appended since its chain was read. KEYS: log, last hash. ARGV: prev, hash, entry,
 * the oldest ms that are kept, most entries. @returns '' , or the hash that has come in between
 */
const APPEND = `
local last = redis.call('GET', KEYS[2]) or ''
if last ~= ARGV[1] then return last end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[5], '*', 'e', ARGV[3])
redis.call('XTRIM', KEYS[1], 'MINID', '~', ARGV[4])
return ''`;

/** A page of entries, newest first. */
export interface AuditPage {
  items: (AuditEntry & { id: string })[];
  nextCursor: string | null;
}

/** What the principals of each tenant have done: one chain of entries for each tenant, kept for 400 days. Contract section 10. */
@Injectable()
export class AuditLog {
  private readonly logger = new Logger(AuditLog.name);
  /** The last hash of each chain, as far as this process knows. */
  private readonly last = new Map<string, string>();

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisPrefix'>,
  ) {}

  /** Records an action, here and in the process log. Never throws: what was done is done. */
  async record(record: AuditRecord): Promise<void> {
    this.logger.log({ audit: true, ...record });
    try {
      await this.append(record);
    } catch (error) {
      this.logger.error({ msg: 'an entry of the audit log was lost', error: String(error) });
    }
  }

  /** @param before id of the entry that ended the page before */
  async page(tenant: string, limit: number, before?: string): Promise<AuditPage> {
    const { log } = auditKeys(this.config.redisPrefix, tenant);
    const end = before === undefined ? '+' : `(${before}`;
    const found = await this.redis.xrevrange(log, end, '-', 'COUNT', limit + 1);
    const items = found.slice(0, limit).map(([id, fields]) => ({ ...read(fields), id }));
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  /** All entries, oldest first, in pages. */
  async *all(tenant: string): AsyncGenerator<AuditEntry[]> {
    const { log } = auditKeys(this.config.redisPrefix, tenant);
    for (let from = '-'; ;) {
      const found = await this.redis.xrange(log, from, '+', 'COUNT', PAGE);
      yield found.map(([, fields]) => read(fields));
      const last = found.at(-1)?.[0];
      if (found.length < PAGE || last === undefined) return;
      from = `(${last}`;
    }
  }

  /** Checks the chain of a tenant. @returns the number of entries, and the first that is not as it was written, from 1 */
  async check(tenant: string): Promise<{ entries: number; brokenAt: number | null }> {
    let entries = 0;
    let brokenAt: number | null = null;
    let prev: string | undefined;
    for await (const page of this.all(tenant))
      for (const entry of page) {
        entries++;
        if (!isIntact(entry, prev)) brokenAt ??= entries;
        prev = entry.hash;
      }
    const last = (await this.redis.get(auditKeys(this.config.redisPrefix, tenant).last)) ?? '';
    // The newest entries were removed.
    if (brokenAt === null && last !== (prev ?? '')) brokenAt = entries + 1;
    return { entries, brokenAt };
  }

  private async append(record: AuditRecord): Promise<void> {
    const { log, last } = auditKeys(this.config.redisPrefix, record.tenant);
    const oldest = Date.now() - KEPT_MS;
    let prev = this.last.get(record.tenant) ?? '';
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const entry = chained(record, prev);
      const args = [prev, entry.hash, JSON.stringify(entry), oldest, MOST_KEPT];
      const between = (await this.redis.eval(APPEND, 2, log, last, ...args)) as string;
      this.last.set(record.tenant, between === '' ? entry.hash : between);
      if (between === '') return;
      prev = between;
    }
    throw new Error(`too many entries at once (${MOST_TRIES} tries)`);
  }
}

const read = (fields: string[]): AuditEntry => auditEntry.parse(JSON.parse(fields[1] ?? '{}'));
