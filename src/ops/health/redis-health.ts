import { Inject, Injectable } from '@nestjs/common';
import type { HealthIndicatorService } from '@nestjs/terminus';
import { Redis } from 'ioredis';
import { atMost } from '../../lib/async.js';
import { REDIS } from '../../redis/redis-token.js';
import { recentDenial } from '../../redis/store-failure.js';
import { StoreWatch } from '../../redis/store-watch.js';

const PATIENCE_MS = 1_000;

/** Checks that Redis replies to a PING in time and is usable. */
@Injectable()
export class RedisHealth {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly watch: StoreWatch,
  ) {}

  async check(session: ReturnType<HealthIndicatorService['check']>) {
    const down = () => session.down({ message: `Redis does not reply (${this.redis.status})` });
    try {
      if ((await atMost(PATIENCE_MS, this.redis.ping(), undefined)) === undefined) return down();
      const judgement = await atMost(PATIENCE_MS, this.watch.judge(), undefined);
      const { refused, warned } = judgement ?? this.watch.judgement;
      if (refused.length > 0) return session.down({ message: refused.join(' ') });
      const denied = recentDenial();
      const warnings = denied === undefined ? warned : [...warned, denied];
      return session.up(warnings.length > 0 ? { warnings } : {});
    } catch {
      return down();
    }
  }
}
