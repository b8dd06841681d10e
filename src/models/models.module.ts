import { Module, type DynamicModule } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { loadModels } from './providers/load-models.js';
import { ModelsController } from './models.controller.js';
import { Models, type ModelEntry } from './models.js';

/**
 * Provides language models by name. Reads the models file at start; a file with faults stops the
 * start.
 */
@Module({})
export class ModelsModule {
  /** @param own models that the embedding program supplies; MODEL may name one */
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
      ],
      controllers: [ModelsController],
      exports: [Models],
    };
  }
}
