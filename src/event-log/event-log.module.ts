import { Global, Module } from '@nestjs/common';
import { LogPort, LogReader } from './log-port.js';
import { RedisLog } from './redis-log.js';
import { Retention } from './retention.js';
import { RunIndex } from './run-index.js';

@Global()
@Module({
  providers: [
    { provide: LogPort, useClass: RedisLog },
    { provide: LogReader, useExisting: LogPort },
    RunIndex,
    Retention,
  ],
  exports: [LogPort, LogReader, RunIndex],
})
export class EventLogModule {}
