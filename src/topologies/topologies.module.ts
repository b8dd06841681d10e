import { Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import { TopologiesController } from './topologies.controller.js';
import { Topologies } from './topologies.js';
import { TopologyLoader } from './topology-loader.js';
import { TopologyStore } from './topology-store.js';

/** Topologies: HTTP, storage, and the files loaded at start. Needs the global modules of configuration, Redis and tools. */
@Module({
  controllers: [TopologiesController],
  providers: [
    Topologies,
    {
      provide: TopologyStore,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, config: Config) => new TopologyStore(redis, config.redisPrefix),
    },
    {
      provide: TopologyLoader,
      inject: [Topologies, TopologyStore, CONFIG],
      useFactory: (topologies: Topologies, store: TopologyStore, config: Config) =>
        new TopologyLoader(topologies, store, config.topologiesDir),
    },
  ],
  exports: [Topologies],
})
export class TopologiesModule {}
