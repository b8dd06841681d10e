import { Module } from '@nestjs/common';
import { RunStreams } from './run-streams.js';

@Module({ providers: [RunStreams], exports: [RunStreams] })
export class StreamsModule {}
