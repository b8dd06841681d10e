import { Global, Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import { loadModels } from './load-models.js';
import { ModelCalls } from './model-calls.js';
import { ModelLimiter } from './model-limiter.js';
import { ModelsController } from './models.controller.js';
import { Models } from './models.js';

/** Language models by name, and the one way to call them. Creating it reads the models file: one with faults stops the start. */
@Global()
@Module({
  providers: [
    {
      provide: Models,
      inject: [CONFIG],
      useFactory: (config: Config) => {
        const loaded = loadModels(config);
        return new Models(loaded.entries, loaded.default);
      },
    },
    {
      provide: ModelCalls,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, config: Config) => new ModelCalls(new ModelLimiter(redis, config.redisPrefix)),
    },
  ],
  controllers: [ModelsController],
  exports: [Models, ModelCalls],
})
export class ModelsModule {}
