import { Global, Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import type { Redis } from 'ioredis';
import { RuleSnapshots } from './rule-snapshots.js';
import { RulesController } from './rules.controller.js';
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
      provide: RuleSnapshots,
      inject: [REDIS, CONFIG, Subscribers, Rules],
      useFactory: (redis: Redis, { redisPrefix }: Config, { active }: Subscribers, rules: Rules) =>
        new RuleSnapshots(redis, redisPrefix, { subscribers: active, rules }),
    },
  ],
  exports: [RuleSnapshots],
})
export class NotificationsModule {}
