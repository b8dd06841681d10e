import { Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { SecretBox } from '../config/secret-box.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import { TopologyStore } from './topology-store.js';

/**
 * The stored topologies, of the default tenant unless `of` names another one, without HTTP.
 * Requires the global modules of configuration and Redis.
 */
@Module({
  providers: [
    {
      provide: TopologyStore,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, config: Config) =>
        new TopologyStore(redis, config.redisPrefix, {
          box: SecretBox.from(config),
          most: config.auth === 'none' ? 0 : config.maxTopologies,
          unsealed: config.auth === 'none',
        }),
    },
  ],
  exports: [TopologyStore],
})
export class TopologyStoreModule {}
