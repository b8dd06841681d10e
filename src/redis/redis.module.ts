import { Global, Inject, Module, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Clock } from '../lib/clock.js';
import { connect } from './connect.js';
import { REDIS } from './redis-token.js';
import { StoreClock } from './store-clock.js';
import { StoreWatch } from './store-watch.js';

@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [CONFIG],
      useFactory: (config: Config) => connect(config.redisUrl, 5_000),
    },
    StoreWatch,
    { provide: Clock, inject: [REDIS], useFactory: (redis: Redis) => new StoreClock(redis) },
  ],
  exports: [Clock, REDIS, StoreWatch],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
