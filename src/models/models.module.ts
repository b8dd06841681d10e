import { Global, Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { loadModels } from './load-models.js';
import { ModelsController } from './models.controller.js';
import { Models } from './models.js';

/** Language models by name. Creating it reads the models file: one with faults stops the service from starting. */
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
  ],
  controllers: [ModelsController],
  exports: [Models],
})
export class ModelsModule {}
