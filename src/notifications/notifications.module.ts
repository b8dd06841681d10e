import { Global, Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import type { Redis } from 'ioredis';
import { FileSnapshots } from './file-snapshots.js';
import { RulesController } from './rules.controller.js';
import { PromptFiles } from '../prompts/prompt-files.js';
import { Rules } from './rules.js';
import { SubscribersController } from './subscribers.controller.js';
import { Subscribers } from './subscribers.js';

/**
 * Subscribers and rules, and the snapshots of runs. Reads the files when it is created; a fault
 * prevents the start.
 */
@Global()
@Module({
  controllers: [SubscribersController, RulesController],
  providers: [
    {
      provide: Subscribers,
      inject: [CONFIG],
      useFactory: (config: Config) => new Subscribers(config.subscribersDir),
    },
    {
      provide: Rules,
      inject: [CONFIG],
      useFactory: (config: Config) => new Rules(config.rulesDir),
    },
    {
      provide: FileSnapshots,
      inject: [REDIS, CONFIG, Subscribers, Rules, PromptFiles],
      useFactory: (
        redis: Redis,
        { redisPrefix }: Config,
        { active }: Subscribers,
        rules: Rules,
        { prompts }: PromptFiles,
      ) => new FileSnapshots(redis, redisPrefix, { subscribers: active, rules, prompts }),
    },
  ],
  exports: [FileSnapshots],
})
export class NotificationsModule {}
