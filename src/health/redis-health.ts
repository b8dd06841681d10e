import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorService } from '@nestjs/terminus';
import { Redis } from 'ioredis';
import { REDIS } from '../redis/redis.module.js';

const PATIENCE_MS = 1_000;

/** Redis answers a PING, soon. */
@Injectable()
export class RedisHealth {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  async check(session: ReturnType<HealthIndicatorService['check']>) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('no answer')), PATIENCE_MS)));
    try {
      await Promise.race([this.redis.ping(), late]);
      return session.up();
    } catch {
      return session.down({ message: `Redis does not answer (${this.redis.status})` });
    } finally {
      clearTimeout(timer);
    }
  }
}
