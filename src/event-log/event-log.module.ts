import { Global, Module } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { Retention } from './retention.js';
import { RunIndex } from './run-index.js';

@Global()
@Module({ providers: [EventLog, RunIndex, Retention], exports: [EventLog, RunIndex] })
export class EventLogModule {}
