import { Global, Module } from '@nestjs/common';
import { Feed } from './feed.js';
import { RunStreams } from './run-streams.js';

@Global()
@Module({ providers: [Feed, RunStreams], exports: [Feed, RunStreams] })
export class StreamsModule {}
