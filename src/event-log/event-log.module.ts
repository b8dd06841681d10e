import { Global, Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { LOG_OBSERVER, type LogObserver } from '../domain/events/log-observer.js';
import { REDIS } from '../redis/redis-token.js';
import { LogPort, LogReader } from './log-port.js';
import { RedisLog } from './redis-log.js';
import { Retention } from './retention.js';
import { RunIndex } from './run-index.js';

@Global()
@Module({
  providers: [
    {
      provide: LogPort,
      inject: [REDIS, CONFIG, LOG_OBSERVER],
      useFactory: (redis: Redis, config: Config, observer: LogObserver) =>
        new RedisLog(redis, config, observer),
    },
    { provide: LogReader, useExisting: LogPort },
    RunIndex,
    Retention,
  ],
  exports: [LogPort, LogReader, RunIndex],
})
export class EventLogModule {}
