import { Global, Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { PromptFiles } from './prompt-files.js';
import { PromptsController } from './prompts.controller.js';

/**
 * The texts for models and reports. Creating it reads their files: one with faults stops the start.
 */
@Global()
@Module({
  controllers: [PromptsController],
  providers: [
    {
      provide: PromptFiles,
      inject: [CONFIG],
      useFactory: ({ promptsDir }: Config) => new PromptFiles(promptsDir),
    },
  ],
  exports: [PromptFiles],
})
export class PromptsModule {}
