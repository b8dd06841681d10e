import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { ModelLimiter } from '../../models/calls/model-limiter.js';
import type { LimiterState } from '../../models/calls/limiter-types.js';
import { Models } from '../../models/models.js';
import { REDIS } from '../../redis/redis-token.js';

type BreakerState = LimiterState['breaker']['state'];

/** The circuit breakers of the models, which all processes share. */
@Injectable()
export class BreakerStates {
  private readonly limiter: ModelLimiter;

  constructor(
    private readonly models: Models,
    @Inject(REDIS) redis: Redis,
    @Inject(CONFIG) { redisPrefix }: Config,
  ) {
    this.limiter = new ModelLimiter(redis, redisPrefix);
  }

  /** By name of the model; those that need no network have none. @throws the error of Redis */
  async read(): Promise<Map<string, BreakerState>> {
    const entries = this.models.list().filter(({ isFree }) => isFree !== true);
    const states = await Promise.all(entries.map((entry) => this.limiter.inspect(entry)));
    return new Map(
      entries.map(({ name }, i) => [name, (states[i] as LimiterState).breaker.state] as const),
    );
  }
}
