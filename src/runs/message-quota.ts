import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';

const KEPT_SECONDS = 40 * 24 * 60 * 60;

/** Counts the answered messages of a caller, by month (UTC). */
@Injectable()
export class MessageQuota {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A message was answered. Harmless when repeated. */
  async count(caller: string, runId: string, now: number): Promise<void> {
    if (this.config.monthlyMessages === 0) return;
    const key = this.key(caller, now);
    await this.redis.multi().sadd(key, runId).expire(key, KEPT_SECONDS).exec();
  }

  /** What a caller has used, where that is all that he has; undefined: he may go on. */
  async exceeded(caller: string, now: number): Promise<{ usage: number; limit: number } | undefined> {
    const limit = this.config.monthlyMessages;
    if (limit === 0) return undefined;
    const usage = await this.redis.scard(this.key(caller, now));
    return usage >= limit ? { usage, limit } : undefined;
  }

  private key(caller: string, now: number): string {
    return `${this.config.redisPrefix}:{caller:${caller}}:messages:${new Date(now).toISOString().slice(0, 7)}`;
  }
}
