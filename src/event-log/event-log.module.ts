import { Global, Module } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { Feed } from './feed.js';

@Global()
@Module({ providers: [EventLog, Feed], exports: [EventLog, Feed] })
export class EventLogModule {}
