import { Module, type DynamicModule } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import { loadModels } from './providers/load-models.js';
import { ModelCalls } from './calls/model-calls.js';
import { ModelLimiter } from './calls/model-limiter.js';
import { ModelsController } from './models.controller.js';
import { Models, type ModelEntry } from './models.js';

/** Language models by name, and the one way to call them. Creating it reads the models file: one with faults stops the start. */
@Module({})
export class ModelsModule {
  /** @param own models of the program that starts the service; MODEL may name one */
  static with(own: readonly ModelEntry[]): DynamicModule {
    return {
      module: ModelsModule,
      global: true,
      providers: [
        {
          provide: Models,
          inject: [CONFIG],
          useFactory: (config: Config) => {
            const names = own.map(({ name }) => name);
            const loaded = loadModels(config, names);
            return new Models([...loaded.entries, ...own], loaded.default);
          },
        },
        {
          provide: ModelCalls,
          inject: [REDIS, CONFIG],
          useFactory: (redis: Redis, config: Config) =>
            new ModelCalls(new ModelLimiter(redis, config.redisPrefix)),
        },
      ],
      controllers: [ModelsController],
      exports: [Models, ModelCalls],
    };
  }
}
