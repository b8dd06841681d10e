import { Global, Module } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { Feed } from './feed.js';
import { Retention } from './retention.js';
import { RunIndex } from './run-index.js';

@Global()
@Module({ providers: [EventLog, Feed, RunIndex, Retention], exports: [EventLog, Feed, RunIndex] })
export class EventLogModule {}
