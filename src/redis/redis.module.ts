import { Global, Inject, Module, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { connect } from './connect.js';

/** Injection token of the process's one ioredis connection for commands. Subscribers and BullMQ have their own. */
export const REDIS = Symbol('REDIS');

@Global()
@Module({
  providers: [{ provide: REDIS, inject: [CONFIG], useFactory: (config: Config) => connect(config.redisUrl, 5_000) }],
  exports: [REDIS],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
