import { Module, type DynamicModule } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { ModelLimiter } from '../../models/calls/model-limiter.js';
import { REDIS } from '../../redis/redis-token.js';
import { ProcessRegistry } from './process-registry.js';
import { ServiceStatus } from './service-status.js';
import { StatusController } from './status.controller.js';

/** Every process sends heartbeats; those that serve the API show all processes. */
@Module({})
export class StatusModule {
  static with(role: Config['role']): DynamicModule {
    const limiter = {
      provide: ModelLimiter,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, config: Config) => new ModelLimiter(redis, config.redisPrefix),
    };
    return {
      module: StatusModule,
      ...(role === 'worker'
        ? { providers: [ProcessRegistry] }
        : {
            controllers: [StatusController],
            providers: [ProcessRegistry, ServiceStatus, limiter],
          }),
    };
  }
}
