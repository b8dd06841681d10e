import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { Clock } from '../../lib/clock.js';
import { DAY_SECONDS } from '../../lib/day.js';
import { allOf } from '../../redis/all-of.js';
import { auditKeys, auditLogsKey } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { auditEntry, chained, isIntact, type AuditEntry, type AuditRecord } from './audit-entry.js';

const KEPT_MS = 400 * DAY_SECONDS * 1_000;
const MOST_KEPT = 1_000_000;
/** Entries that are read or written at once. */
const PAGE = 500;

/**
 * Appends entries if no other one has been appended since their chain was read. Where the last hash
 * is gone, the chain goes on from what the process knows, so that a check notices that the entries
 * before were removed. What retention trims moves the beginning of the chain, unless the oldest
 * entries had been removed before. KEYS: log, last hash, `prev` of the oldest entry. ARGV: prev,
 * hash of the last, the oldest ms that are kept, most entries, '1' if the beginning may not be
 * recorded, the entries. @returns null, or the hash that has come in between
 */
const APPEND = `
local last = redis.call('GET', KEYS[2])
if last and last ~= ARGV[1] then return last end
local function beginning()
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  local isEntry, entry = pcall(cjson.decode, oldest and oldest[2][2] or '')
  return isEntry and type(entry) == 'table' and entry.prev or false
end
for i = 6, #ARGV do redis.call('XADD', KEYS[1], '*', 'e', ARGV[i]) end
redis.call('SET', KEYS[2], ARGV[2])
if ARGV[5] == '1' then redis.call('SETNX', KEYS[3], beginning() or '') end
local isWhole = beginning() == (redis.call('GET', KEYS[3]) or 'removed')
local trimmed = redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[4]) + redis.call('XTRIM', KEYS[1], 'MINID', '~', ARGV[3])
if trimmed > 0 and isWhole then redis.call('SET', KEYS[3], beginning() or '') end
return false`;

/**
 * The predecessor of a process's first entry if the log has been removed with its hashes: no hash,
 * so that a check detects it.
 */
const REMOVED = 'removed';

/** A page of entries, newest first. */
export interface AuditPage {
  items: (AuditEntry & { id: string })[];
  nextCursor: string | null;
}

/** The end of a chain. */
interface Tail {
  /** The last hash, as far as this process knows; undefined before its first entry. */
  last?: string;
  /** Whether this process knows that {@link auditLogsKey} has the tenant. */
  isListed: boolean;
  /** Records that have not been appended yet. */
  waiting: AuditRecord[];
  /** Settles when the records before the waiting ones are appended or lost. */
  busy: Promise<void>;
}

/**
 * The actions of the principals of each tenant: one chain of entries for each tenant, stored for
 * 400 days. Contract section 10.
 */
@Injectable()
export class AuditLog {
  private readonly logger = new Logger(AuditLog.name);
  /** By tenant. */
  private readonly tails = new Map<string, Tail>();

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisPrefix'>,
    private readonly clock: Clock,
  ) {}

  /** Records an action, here and in the process log. Never throws: the action is already done. */
  record(record: AuditRecord): Promise<void> {
    this.logger.log({ audit: true, ...record });
    const { tenant } = record;
    const tail = this.tails.get(tenant) ?? {
      isListed: false,
      waiting: [],
      busy: Promise.resolve(),
    };
    this.tails.set(tenant, tail);
    tail.waiting.push(record);
    tail.busy = tail.busy.then(() => this.appendWaiting(tenant, tail));
    return tail.busy;
  }

  /** @param before id of the entry that ended the page before */
  async page(tenant: string, limit: number, before?: string): Promise<AuditPage> {
    const { log } = auditKeys(this.config.redisPrefix, tenant);
    const end = before === undefined ? '+' : `(${before}`;
    const found = await this.redis.xrevrange(log, end, '-', 'COUNT', limit + 1);
    const shown = found.slice(0, limit);
    const items = shown.flatMap(([id, fields]) => {
      const entry = read(fields);
      return entry ? [{ ...entry, id }] : [];
    });
    return { items, nextCursor: found.length > limit ? (shown.at(-1)?.[0] ?? null) : null };
  }

  /**
   * All entries, oldest first, in pages; undefined: a value that is not an entry.
   * @param end id of the last one
   */
  async *all(tenant: string, end = '+'): AsyncGenerator<(AuditEntry | undefined)[]> {
    const { log } = auditKeys(this.config.redisPrefix, tenant);
    for (let from = '-'; ;) {
      const found = await this.redis.xrange(log, from, end, 'COUNT', PAGE);
      yield found.map(([, fields]) => read(fields));
      const last = found.at(-1)?.[0];
      if (found.length < PAGE || last === undefined) return;
      from = `(${last}`;
    }
  }

  /**
   * Checks the current chain of a tenant.
   * @returns the number of entries, and the first that was changed, from 1
   */
  async check(tenant: string): Promise<{ entries: number; brokenAt: number | null }> {
    const keys = auditKeys(this.config.redisPrefix, tenant);
    const isListed = await this.isListed(tenant);
    const ends = this.redis.multi().mget(keys.first, keys.last);
    const [[first, last], newest] = (await allOf(
      ends.xrevrange(keys.log, '+', '-', 'COUNT', 1),
    )) as [[first: string | null, last: string | null], [id: string][]];
    let entries = 0;
    // A log that is listed has both.
    let brokenAt = isListed && (first === null || last === null) ? 1 : null;
    let prev = first ?? undefined;
    for await (const page of this.all(tenant, newest[0]?.[0] ?? '-'))
      for (const entry of page) {
        entries++;
        if (!entry || !isIntact(entry, prev)) brokenAt ??= entries;
        prev = entry?.hash;
      }
    // Retention may have trimmed the oldest entries meanwhile.
    if (brokenAt === 1 && (await this.redis.get(keys.first)) !== first) return this.check(tenant);
    // The newest entries were removed.
    if (brokenAt === null && (last ?? '') !== (prev ?? '')) brokenAt = entries + 1;
    return { entries, brokenAt };
  }

  private async isListed(tenant: string): Promise<boolean> {
    return (await this.redis.sismember(auditLogsKey(this.config.redisPrefix), tenant)) === 1;
  }

  private async appendWaiting(tenant: string, tail: Tail): Promise<void> {
    const records = tail.waiting.splice(0, PAGE);
    try {
      if (records.length > 0) await this.append(tenant, tail, records);
    } catch (error) {
      const msg = 'entries of the audit log were lost';
      this.logger.error({ msg, entries: records.length, error: String(error) });
    }
  }

  /**
   * Another process may append at the same time: then this one retries. Each time, one of them has
   * succeeded.
   */
  private async append(tenant: string, tail: Tail, records: AuditRecord[]): Promise<void> {
    const { log, last, first } = auditKeys(this.config.redisPrefix, tenant);
    const oldest = this.clock.now() - KEPT_MS;
    tail.isListed ||= await this.isListed(tenant);
    for (;;) {
      const before = tail.last ?? (tail.isListed ? REMOVED : '');
      let hash = before;
      const entries = records.map((record) => {
        const entry = chained(record, hash);
        hash = entry.hash;
        return JSON.stringify(entry);
      });
      const args = [before, hash, oldest, MOST_KEPT, tail.isListed ? '' : '1', ...entries];
      const keys = [log, last, first];
      const between = (await this.redis.eval(APPEND, keys.length, ...keys, ...args)) as
        string | null;
      tail.last = between ?? hash;
      if (between === null) break;
    }
    // After the entries, so that a listed log always exists. If this fails, the next append
    // retries.
    if (!tail.isListed)
      await this.redis.sadd(auditLogsKey(this.config.redisPrefix), tenant).catch(() => undefined);
  }
}

/** Undefined: it is not an entry, for example because another program has written it. */
function read([, text = '']: string[]): AuditEntry | undefined {
  try {
    return auditEntry.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
