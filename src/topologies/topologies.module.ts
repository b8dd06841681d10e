import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { FrontEndQueriesController } from './front-end-queries.controller.js';
import { TopologiesController } from './topologies.controller.js';
import { SourcesModule } from '../sources/sources.module.js';
import { Topologies } from './topologies.js';
import { TopologyLoader } from './topology-loader.js';
import { TopologyStore } from './topology-store.js';
import { TopologyStoreModule } from './topology-store.module.js';

/**
 * Topologies: HTTP, storage, and the files loaded at start. Requires the global modules of
 * configuration, Redis and tools.
 */
@Module({
  imports: [TopologyStoreModule, SourcesModule],
  controllers: [FrontEndQueriesController, TopologiesController],
  providers: [
    Topologies,
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
