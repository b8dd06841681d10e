import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { NextSessions } from './deferred-notices.js';
import { RunControl } from './run-control.js';
import { RunStarter } from './run-starter.js';
import { Sweeper } from './sweeper.js';

@Global()
@Module({
  providers: [RunControl, RunStarter, Idempotency, NextSessions, Sweeper],
  exports: [RunControl, RunStarter, Idempotency, NextSessions],
})
export class RunsModule {}
