import { Global, Module } from '@nestjs/common';
import { Feed } from './feed.js';
import { Presence } from './presence.js';
import { RunStreams } from './run-streams.js';

@Global()
@Module({ providers: [Feed, Presence, RunStreams], exports: [Feed, Presence, RunStreams] })
export class StreamsModule {}
