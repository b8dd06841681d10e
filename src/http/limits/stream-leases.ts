import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import { callerKeys } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';

/** How long a stream of a process that was killed still counts. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const RETRY_SECONDS = 5;
/**
 * A process keeps a hundredth of the limit for the next streams of a caller, until the next
 * renewal.
 */
const SHARES = 100;

/** KEYS: streams. ARGV: stream, limit, ms. @returns 1, or 0 if the limit is reached */
const OPEN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** KEYS: streams. ARGV: ms, streams. Renews those that are still counted. */
const RENEW = `
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', till, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/**
 * Counts the open streams of each caller over all processes, and limits them. No caller gets more
 * than its limit. Of a limit from 100 on, a process keeps some leases of streams that have closed,
 * and gives them to the next ones without asking Redis.
 */
@Injectable()
export class StreamLeases implements OnApplicationShutdown {
  private readonly logger = new Logger(StreamLeases.name);
  /** Open streams of this process, by the key of their caller. */
  private readonly open = new Map<string, Set<string>>();
  /** Leases without a stream, by the same key. */
  private readonly spare = new Map<string, string[]>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisPrefix' | 'maxStreams'>,
  ) {}

  /** Counts a response as a stream until it closes. @throws ConsiliumError RATE_LIMITED */
  async take(caller: string, response: Response): Promise<void> {
    const { redisPrefix, maxStreams } = this.config;
    if (maxStreams === 0) return;
    const key = callerKeys(redisPrefix, caller).streams;
    const id = this.spare.get(key)?.pop() ?? (await this.lease(key, maxStreams));
    if (response.closed) return this.leave(key, id);
    this.open.set(key, (this.open.get(key) ?? new Set()).add(id));
    response.once('close', () => this.leave(key, id));
    this.timer ??= setInterval(() => void this.renew(), RENEW_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.endSpare();
  }

  /** Renews the leases of all open streams, and ends the others. */
  async renew(): Promise<void> {
    this.endSpare();
    for (const [key, ids] of this.open)
      await this.redis
        .eval(RENEW, 1, key, LEASE_MS, ...ids)
        .catch((error: unknown) => this.logger.debug(`could not renew streams: ${String(error)}`));
  }

  /** @throws ConsiliumError RATE_LIMITED */
  private async lease(key: string, maxStreams: number): Promise<string> {
    const id = randomUUID();
    if ((await this.redis.eval(OPEN, 1, key, id, maxStreams, LEASE_MS)) !== 0) return id;
    throw new ConsiliumError('RATE_LIMITED', `You may have ${maxStreams} streams open at once`, {
      retryAfterSeconds: RETRY_SECONDS,
      limit: 'streams',
    });
  }

  private leave(key: string, id: string): void {
    const ids = this.open.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.open.delete(key);
    const spare = this.spare.get(key) ?? [];
    if (spare.length < Math.floor(this.config.maxStreams / SHARES))
      this.spare.set(key, [...spare, id]);
    else this.end(key, [id]);
  }

  private endSpare(): void {
    for (const [key, ids] of this.spare) if (ids.length > 0) this.end(key, ids);
    this.spare.clear();
  }

  private end(key: string, ids: readonly string[]): void {
    // A lease that remains expires.
    this.redis.zrem(key, ...ids).catch(() => undefined);
  }
}
